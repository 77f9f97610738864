"""Starting a draft from what exists: a template, one's own template, another contract, an imported file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from gpucontract.accounts.models import Organisation, User
from gpucontract.accounts.roles import Side
from gpucontract.contracts import interchange
from gpucontract.contracts.creating import create_contract, must_draft_for
from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.groups import add_group, add_mount
from gpucontract.contracts.journal import record
from gpucontract.contracts.models import Contract, DraftOrigin, OwnTemplate
from gpucontract.contracts.rights import must
from gpucontract.contracts.sections.steps import SECTION_OF, TERMS, terms_of
from gpucontract.contracts.snapshot import terms_of as drafted_terms
from gpucontract.contracts.tables import MOUNT_GROUPS
from gpucontract.contracts.templates import Template
from gpucontract.contracts.terms import Terms
from gpucontract.contracts.writing import write_terms
from gpucontract.wording import Text

Rows = Mapping[str, Mapping[str, Any]]

_NAME_TAKEN = Text(
    "本组织已有名为“{name}”的模板。请换一个名称。",
    "Your organisation has a template called “{name}”. Choose another name.",
)
_NO_NAME = Text("请给模板起一个名称，最多 {limit} 个字。", "Give the template a name of at most {limit} characters.")
_NOT_BUYER = Text(
    "{person} 不在合同 {number} 的甲方，不能复制它。",
    "{person} does not stand on the buyer's side of {number} and cannot copy it.",
)
LONGEST_NAME: int = OwnTemplate._meta.get_field("name").max_length or 0


@dataclass(frozen=True, slots=True)
class Source:
    """What a draft is started from. kind: a key of ORIGINS; rows: its terms, where None empties one."""

    kind: str
    reference: str
    title: Text
    rows: Rows


@transaction.atomic
def start_from(
    source: Source, buyer: Organisation, *, by: User, title: str = "", now: datetime | None = None
) -> Contract:
    """A new draft with the source's node groups, mounts and terms. Raises TermsRefused where a value does not fit.

    It gets its own number and its own codes; the buyer's name and code are its own wherever the source has none.
    """
    contract = create_contract(buyer, by=by, title=title, now=now)
    codes = _make_rows(contract, source.rows, by)
    values = {codes[code]: _recoded(row, codes) for code, row in source.rows.items() if code in codes}
    write_terms(contract, values=values | {"c": _keeping_buyer(contract, values.get("c", {}))}, by=by)
    given = interchange.dump(drafted_terms(contract))
    DraftOrigin.objects.create(
        contract=contract, kind=source.kind, reference=source.reference[:200],
        title_zh=source.title.zh[:200], title_en=source.title.en[:200], values=interchange.to_text(given),
    )  # fmt: skip
    record(contract, "draft_filled", by=by, at=now, body={"kind": source.kind, "reference": source.reference[:200]})
    contract.refresh_from_db()
    return contract


def from_template(template: Template, language: str) -> Source:
    """One of the templates that come with the software, its free text in the person's language."""
    return Source("template", template.id, template.title, template.terms_in(language).rows)


def from_own_template(template: OwnTemplate) -> Source:
    """A template the organisation has saved."""
    rows = interchange.kept(template.values).rows
    return Source("own_template", str(template.uuid), Text(template.name, template.name), rows)


def from_file(name: str, loaded: interchange.Loaded) -> Source:
    """An imported file."""
    shown = name or "JSON"
    return Source("file", shown, Text(shown, shown), loaded.terms.rows)


@transaction.atomic
def copy_contract(contract: Contract, *, by: User, title: str = "", now: datetime | None = None) -> Contract:
    """A new draft of the same buyer with all its terms; no number, code, answer, waiver or evidence comes along."""
    _must_be_buyers(contract, by)
    rows = _complete(drafted_terms(contract))
    name = f"{contract.number} {contract.title}".strip()
    source = Source("copy", contract.number, Text(name, name), rows)
    copy = start_from(source, contract.buyer, by=by, title=title or contract.title, now=now)
    record(contract, "contract_copied", by=by, at=now, body={"number": copy.number})
    return copy


@transaction.atomic
def save_template(
    contract: Contract, *, name: str, sections: Collection[str], by: User, now: datetime | None = None
) -> OwnTemplate:
    """Keep a contract's terms of these sections as a template of its buyer."""
    _must_be_buyers(contract, by)
    rows = _of_sections(_complete(drafted_terms(contract)), sections)
    template = OwnTemplate(
        organisation=contract.buyer, name=_free_name(contract.buyer, name), made_from=contract.number, created_by=by,
        values=interchange.to_text(interchange.dump(Terms(rows), is_partial=True)),
    )  # fmt: skip
    template.save()
    record(contract, "template_saved", by=by, at=now, body={"name": template.name, "sections": sorted(sections)})
    return template


@transaction.atomic
def rename_template(template: OwnTemplate, *, name: str, by: User) -> OwnTemplate:
    """Give a template another name."""
    must_draft_for(template.organisation, by)
    template.name = _free_name(template.organisation, name, except_for=template)
    template.save(update_fields=["name", "changed_at"])
    return template


@transaction.atomic
def delete_template(template: OwnTemplate, *, by: User) -> None:
    """Remove a template; drafts started from it keep what they were given."""
    must_draft_for(template.organisation, by)
    template.delete()


def given_values(contract: Contract) -> Terms | None:
    """What the draft was given when it was started; None where it was started empty."""
    origin = getattr(contract, "origin", None)
    return None if origin is None else interchange.kept(origin.values)


def _must_be_buyers(contract: Contract, by: User) -> None:
    must(contract, by, "draft")
    if contract.side_of(by) is not Side.BUYER:
        raise NotAllowed(_NOT_BUYER.fill(person=by, number=contract.number))


def _make_rows(contract: Contract, rows: Rows, by: User) -> dict[str, str]:
    """The groups and mounts a source has, made in the draft: source code -> code here. The first group is there."""
    terms = Terms(rows)
    codes = {"c": "c"} | dict(zip(terms.groups, ["g1"], strict=False))
    codes |= {code: add_group(contract, by=by).code for code in terms.groups[1:]}
    return codes | {code: add_mount(contract, by=by).code for code in terms.mounts}


def _keeping_buyer(contract: Contract, row: Mapping[str, Any]) -> dict[str, Any]:
    """The contract's terms without those a source empties although the new draft knows them already: who buys."""
    known = drafted_terms(contract).rows["c"]
    return {name: value for name, value in row.items() if value is not None or _is_default(name, known.get(name))}


def _is_default(name: str, value: Any) -> bool:
    return value is None or value == TERMS[name].default


def _recoded(row: Mapping[str, Any], codes: Mapping[str, str]) -> dict[str, Any]:
    values = {name: _without_codes(value) for name, value in row.items()}
    if values.get(MOUNT_GROUPS):
        values[MOUNT_GROUPS] = tuple(codes[code] for code in values[MOUNT_GROUPS] if code in codes)
    return values


def _without_codes(value: Any) -> Any:
    """Child rows without the codes they had elsewhere: here they get their own."""
    if not isinstance(value, tuple) or not all(isinstance(row, Mapping) for row in value):
        return value
    return tuple({name: item for name, item in row.items() if name != "code"} for row in value)


def _complete(terms: Terms) -> dict[str, dict[str, Any]]:
    """Every term of every row, None where it is empty, so that no default creeps in where somebody emptied one."""
    return {code: {info.id: row.get(info.id) for info in terms_of(code)} for code, row in terms.rows.items()}


def _of_sections(rows: Rows, sections: Collection[str]) -> dict[str, dict[str, Any]]:
    return {
        code: {name: value for name, value in row.items() if SECTION_OF[name] in sections} for code, row in rows.items()
    }


def _free_name(organisation: Organisation, name: str, except_for: OwnTemplate | None = None) -> str:
    wanted = name.replace("\x00", "").strip()
    if not wanted or len(wanted) > LONGEST_NAME:
        raise ContractError(_NO_NAME.fill(limit=LONGEST_NAME))
    same = OwnTemplate.objects.filter(organisation=organisation, name=wanted).first()
    if same is not None and same != except_for:
        raise ContractError(_NAME_TAKEN.fill(name=wanted))
    return wanted
