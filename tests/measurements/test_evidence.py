"""Evidence files: named by their bytes, whole or not there, checked when read."""

import pytest

from gpucontract.canonical import sha256
from gpucontract.measurements import encryption, evidence


@pytest.fixture(autouse=True)
def root(settings, tmp_path):
    settings.EVIDENCE_ROOT = tmp_path


def test_bytes_come_back_as_they_were(tmp_path):
    body = b'{"stdout":"\xe4\xb8\xad"}' * 1000
    digest = evidence.keep(body)
    assert digest == sha256(body)
    assert (tmp_path / digest[:2] / f"{digest}.zst").stat().st_size < len(body)
    assert evidence.read(digest) == body


def test_keeping_twice_leaves_one_file_and_no_draft(tmp_path):
    assert evidence.keep(b"x") == evidence.keep(b"x")
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


def test_a_draft_left_by_a_killed_writer_is_no_evidence(tmp_path):
    digest = sha256(b"x")
    (tmp_path / digest[:2]).mkdir()
    (tmp_path / digest[:2] / ".half").write_bytes(b"hal")
    with pytest.raises(evidence.EvidenceLost, match="missing"):
        evidence.read(digest)
    evidence.keep(b"x")
    assert evidence.read(digest) == b"x"


@pytest.mark.parametrize("data", [b"", b"not zstd", None], ids=["empty", "not packed", "other bytes"])
def test_a_damaged_file_is_noticed(data):
    digest = evidence.keep(b"x" * 50)
    other = evidence.path_of(evidence.keep(b"y" * 50)).read_bytes()
    evidence.path_of(digest).write_bytes(other if data is None else data)
    with pytest.raises(evidence.EvidenceLost):
        evidence.read(digest)


def test_a_secret_is_stored_encrypted_and_opens_only_with_the_key(settings):
    sealed = encryption.seal("top secret")
    assert b"top secret" not in sealed
    assert encryption.unseal(memoryview(sealed)) == b"top secret"
    settings.EVIDENCE_KEY = "another key"
    with pytest.raises(encryption.WrongKey, match="EVIDENCE_KEY"):
        encryption.unseal(sealed)


def test_order_nonces_differ_by_lease_run_and_key(settings):
    nonces = {
        encryption.order_nonce("l1", "r1"),
        encryption.order_nonce("l2", "r1"),
        encryption.order_nonce("l1", "r2"),
    }
    settings.EVIDENCE_KEY = "another key"
    assert len(nonces | {encryption.order_nonce("l1", "r1")}) == 4
