"""Django app configuration."""

from django.apps import AppConfig


class DocumentsConfig(AppConfig):
    name = "gpucontract.documents"
