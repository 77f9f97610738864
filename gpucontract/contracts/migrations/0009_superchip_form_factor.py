from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('contracts', '0008_negotiation'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='nodegroup',
            name='group_gpu_form_factor',
        ),
        migrations.AlterField(
            model_name='nodegroup',
            name='gpu_form_factor',
            field=models.CharField(blank=True, choices=[('SXM', 'SXM'), ('OAM', 'OAM'), ('PCIe', 'PCIe'), ('superchip', '超级芯片（与 CPU 同板）')], default='', max_length=40, verbose_name='GPU 封装'),
        ),
        migrations.AddConstraint(
            model_name='nodegroup',
            constraint=models.CheckConstraint(condition=models.Q(('gpu_form_factor__in', ['', 'SXM', 'OAM', 'PCIe', 'superchip'])), name='group_gpu_form_factor'),
        ),
    ]
