"""Speed against a floor measured in the same run; never part of the test suite."""

import os

import django

# Rows that verdicts become are Django models, although only benchmarks.store opens a database.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gpucontract.settings")
django.setup()
