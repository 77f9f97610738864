"""Laying files beside a draft and taking them away again; what went out with a revision stays with it."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.journal import lock, record
from gpucontract.contracts.models import Contract, DraftFile
from gpucontract.contracts.rights import must, must_be_editable
from gpucontract.contracts.sections.steps import SECTION_OF, SECTIONS
from gpucontract.filing import file_away
from gpucontract.wording import Text

MOST_FILES = 20

_NO_STEP = Text("没有“{step}”这一步。", "There is no step {step}.")
_NO_TERM = Text("“{term}”不是这一步的约定项。", "{term} is not a term of this step.")
_TOO_MANY = Text(
    "这一步已有 {count} 个附件，最多 {limit} 个。请先移除不需要的。",
    "This step has {count} files; at most {limit} are kept. Remove one first.",
)
_THERE = Text("“{name}”已经在这里，内容相同。", "“{name}” is here already, with the same content.")


def attach(contract: Contract, step: str, *, term: str = "", name: str, data: bytes, by: User) -> DraftFile:
    """Keep a file beside a step, or a term of it by path. Raises ContractError, FilingError."""
    must(contract, by, "draft")
    must_be_editable(contract)
    if step not in SECTIONS:
        raise ContractError(_NO_STEP.fill(step=step[:40]))
    if term and SECTION_OF.get(term.partition("/")[2]) != step:
        raise ContractError(_NO_TERM.fill(term=term[:80]))
    filed = file_away(name, data)
    with transaction.atomic():
        held = lock(contract)
        there = held.draft_files.in_draft().filter(step=step)
        if (count := there.count()) >= MOST_FILES:
            raise ContractError(_TOO_MANY.fill(count=count, limit=MOST_FILES))
        if there.filter(term=term, sha256=filed.sha256).exists():
            raise ContractError(_THERE.fill(name=filed.name))
        file = DraftFile.objects.create(
            contract=held, step=step, term=term, name=filed.name, kind=filed.kind, sha256=filed.sha256,
            size_bytes=filed.size_bytes, uploaded_by=by, uploaded_at=timezone.now(),
        )  # fmt: skip
        record(held, "file_attached", by=by, key=term, body={"name": filed.name, "sha256": filed.sha256})
    return file


@transaction.atomic
def detach(file: DraftFile, *, by: User) -> None:
    """Take a file away from the draft; the revisions that carry it keep it."""
    held = file.contract
    must(held, by, "draft")
    must_be_editable(lock(held))
    DraftFile.objects.filter(pk=file.pk).update(is_removed=True)
    record(held, "file_detached", by=by, key=file.term, body={"name": file.name, "sha256": file.sha256})
