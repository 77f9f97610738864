"""PostgreSQL refuses to change or delete what is only ever added to; emptying a whole table stays possible for tests."""

from django.db import migrations

TABLES = ("contracts_event", "contracts_chainhead", "accounts_organisationevent")
FUNCTION = """
CREATE FUNCTION gpucontract_only_add() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is only ever added to: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$
"""
TRIGGER = """
CREATE TRIGGER only_add BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION gpucontract_only_add()
"""


def guard(_apps, editor):
    if editor.connection.vendor != "postgresql":
        return
    editor.execute(FUNCTION, params=None)
    for table in TABLES:
        editor.execute(TRIGGER.format(table=table))


def unguard(_apps, editor):
    if editor.connection.vendor != "postgresql":
        return
    for table in TABLES:
        editor.execute(f"DROP TRIGGER only_add ON {table}")
    editor.execute("DROP FUNCTION gpucontract_only_add()")


class Migration(migrations.Migration):
    dependencies = [
        ("contracts", "0013_chain_heads"),
        ("accounts", "0003_invitations_mandates_and_journal"),
    ]
    operations = [migrations.RunPython(guard, unguard)]
