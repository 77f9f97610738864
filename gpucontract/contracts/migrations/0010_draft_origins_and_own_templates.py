import django.core.validators
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_initial'),
        ('contracts', '0009_superchip_form_factor'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='DraftOrigin',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('template', '模板'), ('own_template', '本组织的模板'), ('copy', '合同副本'), ('file', '导入的文件')], max_length=20)),
                ('reference', models.CharField(max_length=200)),
                ('title_zh', models.CharField(max_length=200)),
                ('title_en', models.CharField(max_length=200)),
                ('values', models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name='OwnTemplate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('name', models.CharField(max_length=80, validators=[django.core.validators.ProhibitNullCharactersValidator()], verbose_name='模板名称')),
                ('values', models.TextField()),
                ('made_from', models.CharField(max_length=20)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('changed_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.AddField(
            model_name='draftorigin',
            name='contract',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='origin', to='contracts.contract'),
        ),
        migrations.AddField(
            model_name='owntemplate',
            name='created_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='owntemplate',
            name='organisation',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='templates', to='accounts.organisation'),
        ),
        migrations.AddConstraint(
            model_name='draftorigin',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['template', 'own_template', 'copy', 'file'])), name='origin_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='owntemplate',
            constraint=models.UniqueConstraint(fields=('organisation', 'name'), name='template_name_once'),
        ),
        migrations.AddConstraint(
            model_name='owntemplate',
            constraint=models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='template_has_name'),
        ),
    ]
