"""The file the vendor lays beside a counter or a question: one per line, replaced or taken away until submitted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.journal import record
from gpucontract.contracts.models import Attachment, Contract, Revision
from gpucontract.filing import Filed, FilingError, file_away
from gpucontract.wording import Text

MOST_FILES = 50

_TOO_MANY = Text(
    "这一版的答复会有 {count} 个附件，最多 {limit} 个。请先移除不需要的。",
    "The answers to this revision would carry {count} files; at most {limit} are kept. Remove some first.",
)


def filed_away(files: Mapping[str, tuple[str, bytes]]) -> tuple[dict[str, Filed], dict[str, Text]]:
    """Clause key -> the file, its bytes kept, and a sentence for every one that is not taken."""
    kept: dict[str, Filed] = {}
    refusals: dict[str, Text] = {}
    for key, (name, data) in files.items():
        try:
            kept[key] = file_away(name, data)
        except FilingError as refusal:
            refusals[key] = refusal.text
    return kept, refusals


def lay_beside(held: Contract, revision: Revision, files: Mapping[str, Filed], *, by: User) -> None:
    """Lay files beside lines, each in place of the line's earlier one. Call with the contract locked."""
    count = len({*revision.attachments.values_list("key", flat=True), *files})
    if files and count > MOST_FILES:
        raise ContractError(_TOO_MANY.fill(count=count, limit=MOST_FILES))
    there = {(each.key, each.name, each.sha256) for each in revision.attachments.all()}
    for key, file in files.items():
        # Posted again after a save that was cut off: it lies there already.
        if (key, file.name, file.sha256) in there:
            continue
        now = timezone.now()
        said = {"name": file.name, "sha256": file.sha256, "size_bytes": file.size_bytes}
        given = said | {"added_by": by, "added_at": now}
        Attachment.objects.update_or_create(revision=revision, key=key, defaults=given)
        record(held, "answer_file_laid", by=by, at=now, key=key, body=said, revision=revision)


def take_away(held: Contract, revision: Revision, keys: Iterable[str], *, by: User) -> None:
    """Take away the files of these lines, where there are any. Call with the contract locked."""
    for file in revision.attachments.filter(key__in=list(keys)):
        said = {"name": file.name, "sha256": file.sha256}
        record(held, "answer_file_taken_away", by=by, key=file.key, body=said, revision=revision)
        file.delete()


def laid(revision: Revision) -> list[dict[str, str]]:
    """What lies beside the answers, as the journal names it when they are submitted."""
    files = revision.attachments.order_by("key")
    return [{"key": file.key, "name": file.name, "sha256": file.sha256} for file in files]
