"""Autosave: what is typed into a step is kept as typed, and two people on one step are told of each other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NoReturn

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.models import User
from gpucontract.contracts.errors import ContractError, StepConflict
from gpucontract.contracts.models import Contract, StepBuffer
from gpucontract.contracts.rights import must, must_be_editable
from gpucontract.contracts.sections.steps import SECTIONS
from gpucontract.wording import Text

LARGEST_BYTES = 256 * 1024

_NO_STEP = Text("没有“{step}”这一步。", "There is no step {step}.")
_TOO_LARGE = Text(
    "这一步的内容有 {size} 字节，最多保存 {limit} 字节。请缩短文字。",
    "This step holds {size} bytes; at most {limit} are kept. Shorten the text.",
)
_CONFLICT = Text(
    "这一步在 {time} 有人修改过（{person}）。您输入的内容仍在页面上；请先对比两个版本，再决定保存哪一个。",
    "{person} changed this step at {time}. Your text is still on the page; compare both, then decide which to save.",
)
_OWN_CONFLICT = Text(
    "您在 {time} 从另一个窗口修改过这一步。您输入的内容仍在页面上；请先对比两个版本，再决定保存哪一个。",
    "You changed this step at {time} in another window. Your text is still on the page; compare both, then decide "
    "which to save.",
)


@transaction.atomic
def buffer_step(
    contract: Contract, step: str, *, raw: Mapping[str, Any], revision: int, by: User, tab: str = ""
) -> StepBuffer:
    """Keep the posted fields of a step, valid or not. revision: the one the page was built on, 0 for none yet.

    A page overtakes its own saves by its tab. Raises StepConflict when somebody else saved meanwhile.
    """
    must(contract, by, "draft")
    must_be_editable(contract)
    text = _checked(step, raw)
    now = timezone.now()
    fresh = {"raw": text, "tab": tab[:40], "saved_by": by, "saved_at": now}
    found = StepBuffer.objects.filter(contract=contract, step=step).first()
    if found is None:
        found, is_new = StepBuffer.objects.get_or_create(
            contract=contract, step=step, defaults=fresh | {"revision": 1}
        )  # fmt: skip
        return found if is_new else _refuse(contract, step, by)
    is_own_tab = bool(tab) and found.tab == tab[:40] and found.saved_by_id == by.pk
    same = StepBuffer.objects.filter(pk=found.pk, revision=found.revision)
    if not (is_own_tab or found.revision == revision) or not same.update(**fresh, revision=found.revision + 1):
        _refuse(contract, step, by)
    found.revision, found.raw, found.tab, found.saved_by, found.saved_at = found.revision + 1, text, tab[:40], by, now
    return found


def _checked(step: str, raw: Mapping[str, Any]) -> str:
    if step not in SECTIONS:
        raise ContractError(_NO_STEP.fill(step=step[:40]))
    text = json.dumps(dict(raw))
    if len(text) > LARGEST_BYTES:
        raise ContractError(_TOO_LARGE.fill(size=len(text), limit=LARGEST_BYTES))
    return text


def _refuse(contract: Contract, step: str, by: User) -> NoReturn:
    other = StepBuffer.objects.select_related("saved_by").get(contract=contract, step=step)
    said = _OWN_CONFLICT if other.saved_by_id == by.pk else _CONFLICT
    raise StepConflict(said.fill(person=other.saved_by, time=clock(other.saved_at)))


def clock(moment: datetime) -> str:
    """When somebody saved: the time of today, with the date on any other day."""
    local = timezone.localtime(moment)
    return local.strftime("%H:%M" if local.date() == timezone.localdate() else "%Y-%m-%d %H:%M")
