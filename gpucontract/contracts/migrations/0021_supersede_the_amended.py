"""Contracts whose amendment was signed before there was a state for it: the amendment's journal says when."""

from typing import Any

from django.db import migrations

IN_FORCE = ["signed", "delivered", "accepting", "active"]


def supersede(apps: Any, _schema: Any) -> None:
    contracts = apps.get_model("contracts", "Contract").objects
    signed = contracts.filter(state__in=[*IN_FORCE, "ended", "terminated"], amends__isnull=False)
    contracts.filter(pk__in=list(signed.values_list("amends", flat=True)), state__in=IN_FORCE).update(
        state="superseded"
    )


def stand(apps: Any, _schema: Any) -> None:
    """The state they had is not kept; all of them bind again."""
    apps.get_model("contracts", "Contract").objects.filter(state="superseded").update(state="signed")


class Migration(migrations.Migration):
    dependencies = [("contracts", "0020_superseded")]
    operations = [migrations.RunPython(supersede, stand)]
