"""Django app configuration."""

from django.apps import AppConfig


class ContractsConfig(AppConfig):
    name = "gpucontract.contracts"
