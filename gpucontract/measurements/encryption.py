"""What EVIDENCE_KEY protects here: agent secrets at rest, order nonces, and the signature under receipts."""

import hashlib
import hmac

from cryptography.fernet import InvalidToken

from gpucontract.accounts.sealing import box, derived, public_key, signature


class WrongKey(Exception):
    """The stored secret cannot be opened: EVIDENCE_KEY is not the one it was sealed with."""


def seal(secret: str) -> bytes:
    """Encrypt an agent's secret for the database."""
    return box("agent secrets").encrypt(secret.encode())


def unseal(sealed: bytes | memoryview) -> bytes:
    """The agent's secret as bytes. Raises WrongKey."""
    try:
        return box("agent secrets").decrypt(bytes(sealed))
    except InvalidToken as fault:
        raise WrongKey("EVIDENCE_KEY is not the key this agent's secret was stored with") from fault


def order_nonce(lease: str, run: str) -> str:
    """The nonce of one attempt: other leases and other runs give others, and nobody without the key can make one."""
    return hmac.new(derived("nonce"), f"{lease}|{run}".encode(), hashlib.sha256).hexdigest()


def receipt_signature(text: bytes) -> str:
    """The server's Ed25519 signature (hex) under a receipt."""
    return signature("receipt", text)


def receipt_key() -> str:
    """The public key (hex) receipts are checked with."""
    return public_key("receipt")
