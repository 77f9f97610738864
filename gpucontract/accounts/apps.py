"""Django app configuration."""

from django.apps import AppConfig

# Importing them registers them.
from gpucontract.accounts import checks  # noqa: F401


class AccountsConfig(AppConfig):
    name = "gpucontract.accounts"
