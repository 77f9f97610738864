"""A state for contracts in whose place a signed amendment stands."""

from django.db import migrations, models

STATES = [
    ("draft", "起草中"), ("with_vendor", "待乙方确认"), ("answered", "乙方已答复"), ("agreed", "已达成一致"),
    ("signed", "已签署"), ("delivered", "已交付"), ("accepting", "验收中"), ("active", "在租"), ("ended", "已到期"),
    ("withdrawn", "已撤回"), ("rejected", "乙方已拒绝"), ("expired_offer", "要约过期"), ("terminated", "已解除"),
    ("superseded", "已被补充协议取代"),
]  # fmt: skip


class Migration(migrations.Migration):
    dependencies = [("contracts", "0019_space_the_units_of_sizes")]
    operations = [
        migrations.RemoveConstraint("contract", "contract_state_known"),
        migrations.AlterField(
            "contract", "state",
            models.CharField(choices=STATES, db_index=True, default="draft", max_length=20, verbose_name="状态"),
        ),
        migrations.AddConstraint(
            "contract",
            models.CheckConstraint(
                condition=models.Q(state__in=[name for name, _label in STATES]), name="contract_state_known"
            ),
        ),
    ]  # fmt: skip
