"""Organisations, people and contracts at each stage, made through the services a person would use."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone

from gpucontract.accounts.models import Mandate, Membership, Organisation, User
from gpucontract.contracts import services
from gpucontract.contracts.lifecycle import Fact
from gpucontract.contracts.models import Contract, Revision
from gpucontract.verdicts.succeeding import succeed
from tests.sample_terms import BUYER, SAMPLE, VENDOR

SIGNED_BY_BOTH = (Fact.SAME_HASH, Fact.ALL_CONFIRMED, Fact.CHECKED, Fact.BUYER_SIGNED, Fact.VENDOR_SIGNED)
OTHER_VENDOR = ("另一家算力公司", "91420100MADEMC0300")
OTHER_BUYER = ("另一家甲方公司", "91420100MADEMD041B")
PEOPLE = {
    "bing": ("bing@buyer.example", BUYER, ("drafter",)),
    "ada": ("ada@buyer.example", BUYER, ("approver",)),
    "eng": ("eng@buyer.example", BUYER, ("engineer",)),
    "wen": ("wen@buyer.example", BUYER, ("viewer",)),
    "adam": ("adam@buyer.example", BUYER, ("admin",)),
    "vera": ("vera@vendor.example", VENDOR, ("confirmer",)),
    "sun": ("sun@vendor.example", VENDOR, ("signer",)),
    "mallory": (
        "mallory@other-vendor.example",
        OTHER_VENDOR,
        ("admin", "confirmer", "signer"),
    ),
    "zoe": ("zoe@other-buyer.example", OTHER_BUYER, ("approver",)),
}


def person(name: str) -> User:
    """One of PEOPLE, made with the organisation on first use."""
    email, (company, uscc), roles = PEOPLE[name]
    user = User.objects.filter(email=email).first() or User.objects.create_user(email, name=name.title())
    organisation, _ = Organisation.objects.get_or_create(uscc=uscc, defaults={"name": company})
    Membership.objects.get_or_create(user=user, organisation=organisation, defaults={"roles": roles})
    if {"approver", "signer"} & set(roles):
        given = {"recorded_by": user, "recorded_at": timezone.now()}
        Mandate.objects.get_or_create(user=user, organisation=organisation, basis="legal", defaults=given)
    return user


def organisation_of(name: str) -> Organisation:
    """The organisation of one of PEOPLE."""
    return person(name).memberships.get().organisation


def empty_contract(**fields: Any) -> Contract:
    """A draft of the buyer's drafter with one empty node group g1."""
    person("vera")
    return services.create_contract(organisation_of("bing"), by=person("bing"), **{"title": "训练集群", **fields})


def drafted_contract(**fields: Any) -> Contract:
    """A draft with all terms of the sample, one node group and one mount. Changes go by code: g1={"node_count": 4}."""
    changes = {code: fields.pop(code) for code in list(fields) if code in SAMPLE}
    contract = empty_contract(**fields)
    services.add_mount(contract, by=person("bing"))
    services.write_terms(contract, values=SAMPLE, by=person("bing"))
    if changes:
        services.write_terms(contract, values=changes, by=person("bing"))
    contract.refresh_from_db()
    return contract


def sent_contract(**fields: Any) -> Contract:
    """The sample, sent to the vendor by the approver."""
    contract = drafted_contract(**fields)
    services.send_revision(contract, by=person("ada"))
    contract.refresh_from_db()
    return contract


def latest(contract: Contract) -> Revision:
    """The newest revision."""
    return contract.revisions.latest("number")


def agreed_contract(**fields: Any) -> Contract:
    """The sample with every line confirmed and submitted by the vendor."""
    contract = sent_contract(**fields)
    revision = latest(contract)
    answers = {clause.key: services.Given("confirm") for clause in revision.body().clauses}
    services.answer_clauses(revision, answers=answers, by=person("vera"))
    services.submit_answers(revision, by=person("vera"))
    contract.refresh_from_db()
    return contract


def signed_contract(**fields: Any) -> Contract:
    """The sample signed by both: only the move, without the second factor and PDF of documents.services."""
    contract = agreed_contract(**fields)
    return services.move(contract, "sign", by=person("ada"), facts=SIGNED_BY_BOTH, revision=latest(contract))


def agreed_amendment(parent: Contract, **values: Any) -> Contract:
    """An amendment with every line confirmed. Changes go by code, as in drafted_contract."""
    amendment = services.amend_contract(parent, by=person("bing"))
    if values:
        services.write_terms(amendment, values=values, by=person("bing"))
    revision = services.send_revision(amendment, by=person("ada"))
    answers = {clause.key: services.Given("confirm") for clause in revision.body().clauses}
    services.answer_clauses(revision, answers=answers, by=person("vera"))
    services.submit_answers(revision, by=person("vera"))
    amendment.refresh_from_db()
    return amendment


def signed_amendment(parent: Contract, at: datetime | None = None, **values: Any) -> Contract:
    """The same signed by both, with what that brings; the parent is superseded."""
    amendment, now = agreed_amendment(parent, **values), at or timezone.now()
    by, revision = person("ada"), latest(amendment)
    signed = services.move(amendment, "sign", by=by, facts=SIGNED_BY_BOTH, now=now, revision=revision)
    held = succeed(signed, at=now)
    parent.refresh_from_db()
    return held
