"""Django app configuration."""

from django.apps import AppConfig


class MeasurementsConfig(AppConfig):
    name = "gpucontract.measurements"
