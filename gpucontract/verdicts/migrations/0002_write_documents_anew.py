"""Documents have another form; they are made anew from the evidence when the contract is judged next."""

from django.db import migrations


def forget(apps, schema_editor):
    apps.get_model("verdicts", "NodeVerdict").objects.all().delete()
    apps.get_model("verdicts", "JudgeQueue").objects.update(rules_version=0)


class Migration(migrations.Migration):
    dependencies = [("verdicts", "0001_initial")]
    operations = [migrations.RunPython(forget, forget)]
