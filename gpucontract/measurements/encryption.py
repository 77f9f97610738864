"""What EVIDENCE_KEY protects: agent secrets at rest, order nonces, and the signature under receipts."""

import base64
import hashlib
import hmac

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class WrongKey(Exception):
    """The stored secret cannot be opened: EVIDENCE_KEY is not the one it was sealed with."""


def seal(secret: str) -> bytes:
    """Encrypt an agent's secret for the database."""
    return _box().encrypt(secret.encode())


def unseal(sealed: bytes | memoryview) -> bytes:
    """The agent's secret as bytes. Raises WrongKey."""
    try:
        return _box().decrypt(bytes(sealed))
    except InvalidToken as fault:
        raise WrongKey("EVIDENCE_KEY is not the key this agent's secret was stored with") from fault


def order_nonce(lease: str, run: str) -> str:
    """The nonce of one attempt: other leases and other runs give others, and nobody without the key can make one."""
    return hmac.new(_derived("nonce"), f"{lease}|{run}".encode(), hashlib.sha256).hexdigest()


def receipt_signature(text: bytes) -> str:
    """The server's Ed25519 signature (hex) under a receipt."""
    return Ed25519PrivateKey.from_private_bytes(_derived("receipt")).sign(text).hex()


def receipt_key() -> str:
    """The public key (hex) receipts are checked with."""
    return Ed25519PrivateKey.from_private_bytes(_derived("receipt")).public_key().public_bytes_raw().hex()


def _box() -> Fernet:
    return Fernet(base64.urlsafe_b64encode(_derived("agent secrets")))


def _derived(purpose: str) -> bytes:
    extract = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=f"gpucontract {purpose}".encode())
    return extract.derive(settings.EVIDENCE_KEY.encode())
