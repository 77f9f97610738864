"""Django app configuration."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "gpucontract.web"
