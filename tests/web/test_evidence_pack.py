"""All evidence of a contract in one file, for either side to judge by itself."""

import gc
import io
import os
import tempfile
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from gpucontract.measurements import packs
from gpucontract.measurements.models import Delivery, Evidence
from tests import factories
from tests.measurements import making
from tests.web import stage

pytestmark = pytest.mark.django_db


@pytest.fixture
def contract(settings, tmp_path_factory):
    """One run has brought its result."""
    settings.EVIDENCE_ROOT = tmp_path_factory.mktemp("evidence")
    scene = stage.measured()
    making.delivered(scene.run)
    return scene.contract


def address(contract):
    return reverse("contract-evidence", args=[contract.uuid])


@pytest.mark.parametrize("who", ["ada", "vera"])
def test_either_side_takes_away_what_was_delivered_byte_for_byte(client, contract, who):
    client.force_login(factories.person(who))
    assert address(contract) in client.get(reverse("contract-runs", args=[contract.uuid])).content.decode()
    response = client.get(address(contract))
    assert f'filename="{contract.number}-evidence.zip"' in response["Content-Disposition"]
    packed = zipfile.ZipFile(io.BytesIO(response.getvalue()))
    raw = {name: packed.read(name) for name in packed.namelist() if name.startswith("raw/") and name != "raw/"}
    assert {"MANIFEST.csv", "DOCUMENTS.csv", "DELIVERIES.csv"} <= set(packed.namelist())
    assert set(raw) == {f"raw/{each.evidence_id}.json" for each in Delivery.objects.all()} and raw
    assert all(name == f"raw/{sha256(data).hexdigest()}.json" for name, data in raw.items())


@pytest.fixture
def scratch(monkeypatch, tmp_path):
    """Where temporary files come to lie, alone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def held_open(folder):
    """The files of a folder that this process still holds, those without a name too."""
    links = (os.readlink(each) for each in Path("/proc/self/fd").iterdir() if each.is_symlink())
    return [link for link in links if link.startswith(str(folder))]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are listed on Linux alone")
def test_a_download_given_up_midway_leaves_no_file_behind(client, contract, scratch):
    client.force_login(factories.person("ada"))
    response = client.get(address(contract))
    assert held_open(scratch) and next(iter(response.streaming_content))
    response.close()
    assert held_open(scratch) == [] and list(scratch.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are listed on Linux alone")
def test_a_pack_that_fails_or_dies_while_it_is_made_leaves_no_file_behind(contract, scratch, monkeypatch):
    def dying(_digest):
        assert list(scratch.iterdir())
        raise KeyboardInterrupt

    monkeypatch.setattr(packs.evidence, "read", dying)
    with pytest.raises(KeyboardInterrupt):
        packs.archive(contract)
    gc.collect()
    assert held_open(scratch) == [] and list(scratch.iterdir()) == []


def test_a_pack_beyond_the_limit_is_refused_with_both_sizes_and_a_way(client, contract, tmp_path):
    Evidence.objects.update(size_bytes=packs.MOST_MIB * 2**20 + 1)
    client.force_login(factories.person("ada"))
    page = client.get(address(contract), follow=True).content.decode()
    assert "超过下载上限 512 MiB" in page and f"manage.py export_evidence {contract.uuid}" in page
    call_command("export_evidence", str(contract.uuid), str(tmp_path / "pack"))
    assert (tmp_path / "pack/MANIFEST.csv").is_file()


def test_lost_bytes_are_told(client, contract, monkeypatch):
    def lost(_digest):
        raise packs.EvidenceLost("gone")

    monkeypatch.setattr(packs.evidence, "read", lost)
    client.force_login(factories.person("ada"))
    assert "已丢失或损坏" in client.get(address(contract), follow=True).content.decode()


def test_the_command_mixes_no_packs_and_knows_its_contracts(contract, tmp_path):
    (tmp_path / "there").write_text("x")
    with pytest.raises(CommandError, match="not empty"):
        call_command("export_evidence", str(contract.uuid), str(tmp_path))
    with pytest.raises(CommandError, match="no contract"):
        call_command("export_evidence", "00000000-0000-0000-0000-000000000000", str(tmp_path))
