"""Evidence on disk: compressed, named by the sha256 of its bytes, on the platter before any row speaks of it."""

from pathlib import Path

import zstandard
from django.conf import settings

from gpucontract.canonical import sha256
from gpucontract.filing import write_durably


class EvidenceLost(Exception):
    """The file behind a delivery is missing or its bytes are not those that were hashed."""


def path_of(digest: str) -> Path:
    """Where the bytes of a sha256 lie: <root>/ab/<sha256>.zst."""
    return Path(settings.EVIDENCE_ROOT) / digest[:2] / f"{digest}.zst"


def keep(body: bytes) -> str:
    """Write bytes so that they survive a power cut, and return their sha256; known bytes are left as they are."""
    digest = sha256(body)
    path = path_of(digest)
    if not path.exists():
        write_durably(path, zstandard.ZstdCompressor(level=3).compress(body))
    return digest


def read(digest: str) -> bytes:
    """The bytes of a sha256, checked against it. Raises EvidenceLost."""
    try:
        body = zstandard.ZstdDecompressor().decompress(path_of(digest).read_bytes())
    except FileNotFoundError as fault:
        raise EvidenceLost(f"the file of {digest} is missing") from fault
    except zstandard.ZstdError as fault:
        raise EvidenceLost(f"the file of {digest} cannot be unpacked: {fault}") from fault
    if sha256(body) != digest:
        raise EvidenceLost(f"the file of {digest} holds other bytes")
    return body
