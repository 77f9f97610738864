"""Keys derived from EVIDENCE_KEY, one for each purpose: boxes for secrets at rest, signatures under what leaves."""

from __future__ import annotations

import base64

from cryptography.exceptions import InvalidSignature
from cryptography.fernet import Fernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


def derived(purpose: str) -> bytes:
    """32 bytes that only this purpose gets."""
    extract = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=f"gpucontract {purpose}".encode())
    return extract.derive(settings.EVIDENCE_KEY.encode())


def box(purpose: str) -> Fernet:
    """What encrypts secrets of this purpose for the database."""
    return Fernet(base64.urlsafe_b64encode(derived(purpose)))


def signature(purpose: str, text: bytes) -> str:
    """The server's Ed25519 signature (hex) under a text."""
    return _private_key(purpose).sign(text).hex()


def public_key(purpose: str) -> str:
    """The public key (hex) the signatures of this purpose are checked with."""
    return _private_key(purpose).public_key().public_bytes_raw().hex()


def is_signed(purpose: str, text: bytes, signed: str) -> bool:
    """Whether a signature (hex) under a text is this server's."""
    try:
        _private_key(purpose).public_key().verify(bytes.fromhex(signed), text)
    except (InvalidSignature, ValueError):
        return False
    return True


def _private_key(purpose: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(derived(purpose))
