"""Render what is due, each in a child process with limits; killed anywhere, the row is simply due again."""

import json
import logging
import os
import subprocess
import sys
import uuid
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from gpucontract.canonical import sha256
from gpucontract.contracts.body import pack
from gpucontract.contracts.models import Revision
from gpucontract.documents.models import Document
from gpucontract.filing import write_durably

log = logging.getLogger(__name__)
LEASE = timedelta(minutes=12)
TIMEOUT_S = 660
MAX_ATTEMPTS = 3


def render_due(now: datetime | None = None) -> int:
    """Render one due document, if there is one; returns how many were rendered. A stage: it enqueues nothing."""
    document = claim(now or timezone.now())
    if document is None:
        return 0
    render_one(document)
    return 1


def claim(now: datetime) -> Document | None:
    """Take the oldest due document by pushing its due time on by the lease; None when another worker was faster."""
    candidate = Document.objects.due(now).first()
    if candidate is None:
        return None
    token = uuid.uuid4()
    taken = Document.objects.due(now).filter(pk=candidate.pk, lease=candidate.lease)
    if not taken.update(due_at=now + LEASE, lease=token, attempts=candidate.attempts + 1):
        return None
    candidate.refresh_from_db()
    return candidate


def render_one(document: Document) -> None:
    """Print one claimed document and record it; a failure is recorded with its reason and tried again a few times."""
    try:
        pdf = print_in_child(document.context, attachment_of(document.revision))
    except (subprocess.SubprocessError, OSError) as fault:
        record_failure(document, fault)
        return
    digest = keep(pdf)
    mine = Document.objects.filter(pk=document.pk, lease=document.lease)
    mine.update(
        state="done", due_at=None, lease=None, error="", sha256=digest, size_bytes=len(pdf), rendered_at=timezone.now()
    )


def record_failure(document: Document, fault: Exception) -> None:
    """Tried again after a pause until the attempts are used up; the reason stays readable."""
    words = getattr(fault, "stderr", None) or b""
    reason = words.decode(errors="replace").strip()[-2000:] or str(fault)
    log.error("rendering %s failed: %s", document, reason)
    is_last = document.attempts >= MAX_ATTEMPTS
    due_at = None if is_last else timezone.now() + timedelta(seconds=10 * document.attempts)
    mine = Document.objects.filter(pk=document.pk, lease=document.lease)
    mine.update(state="failed" if is_last else "queued", due_at=due_at, lease=None, error=reason)


def attachment_of(revision: Revision) -> bytes:
    """The revision's exact bytes, packed: the contract.json inside the PDF."""
    return pack(bytes(revision.head), {section.name: bytes(section.document) for section in revision.sections.all()})


def print_in_child(context: str, attachment: bytes) -> bytes:
    """The PDF from a fresh process. Raises subprocess errors with its stderr."""
    order = json.dumps({"appendix": context, "attachment": attachment.decode()})
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "gpucontract.settings"}
    done = subprocess.run(
        [sys.executable, "-m", "gpucontract.documents.child"],
        input=order.encode(), capture_output=True, timeout=TIMEOUT_S, check=True,
        cwd=settings.BASE_DIR, env=environment,
    )  # fmt: skip
    return done.stdout


def keep(pdf: bytes) -> str:
    """Write the bytes under their sha256, fsynced and renamed before any row says so; returns the sha256."""
    digest = sha256(pdf)
    write_durably(path_of(digest), pdf)
    return digest


def path_of(digest: str) -> Path:
    """Where the document of a sha256 lies."""
    return Path(settings.DOCUMENT_ROOT) / digest[:2] / f"{digest}.pdf"


def stored_bytes(document: Document) -> bytes:
    """The PDF of a done document. Raises FileNotFoundError, or ValueError when the file was altered."""
    data = path_of(document.sha256).read_bytes()
    if sha256(data) != document.sha256:
        raise ValueError(f"the stored file of {document} no longer has the recorded sha256 {document.sha256}")
    return data
