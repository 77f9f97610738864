"""Django app configuration."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "gpucontract.accounts"
