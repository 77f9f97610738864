"""Django app configuration."""

from django.apps import AppConfig


class VerdictsConfig(AppConfig):
    name = "gpucontract.verdicts"
