"""A vendor walks every page, file and export of a contract: nothing there holds what is only the buyer's to know."""

import io
import zipfile

import pytest
from django.db import transaction
from django.test import override_settings
from django.urls import reverse

from gpucontract.contracts import services
from gpucontract.contracts.attaching import attach
from gpucontract.contracts.models import CheckRecord, CheckWaiver, Contract
from gpucontract.verdicts.models import Waiver
from tests import factories
from tests.web.test_access import GET
from tests.web.test_access_by_state import addresses
from tests.web.walk import answered

pytestmark = pytest.mark.django_db
SECRETS = ("COMMENTONLYOURS", "CHECKWAIVERREASON", "CHECKSENTENCE", "CLAUSEWAIVERREASON", "UNSENTGROUPNAME",
           "UNTOLDDECISION", "TYPEDNOTSAVED", "UNSENTFILENAME", "UNSENTFILECONTENT", "REVISIONNOTSENT")  # fmt: skip
STATES = ("answered", "with_vendor", "signed", "active")


@pytest.fixture(scope="module")
def contract(django_db_setup, django_db_blocker, tmp_path_factory):
    """A contract with something only the buyer's wherever the buyer can write."""
    with (
        django_db_blocker.unblock(),
        transaction.atomic(),
        override_settings(DOCUMENT_ROOT=tmp_path_factory.mktemp("documents")),
    ):
        for name in factories.PEOPLE:
            factories.person(name)
        yield planted(answered(), factories.person("ada"), factories.person("bing"))
        transaction.set_rollback(True)


def planted(contract, ada, bing):
    sent = factories.latest(contract)
    services.comment(contract, "g1/ram", text="COMMENTONLYOURS", audience="internal", by=bing)
    given = {"check_id": "C-X", "code": "c", "sentence": "CHECKSENTENCE", "reason": "CHECKWAIVERREASON"}
    CheckWaiver.objects.create(contract=contract, waived_by=ada, **given)
    CheckRecord.objects.filter(revision=sent).update(results=[{"check": "C-X", "text": "CHECKSENTENCE"}])
    Waiver.objects.create(contract=contract, key="g1/ram", reason="CLAUSEWAIVERREASON", by=ada)
    services.record(contract, "clause_waived", by=ada, key="g1/ram", body={"reason": "CLAUSEWAIVERREASON"})
    services.decide(sent, "g1/ram", decision="declined", text="UNTOLDDECISION", by=ada)
    services.write_terms(contract, values={"g1": {"name": "UNSENTGROUPNAME"}}, by=bing)
    services.buffer_step(contract, "nodes", raw={"g1-name": "TYPEDNOTSAVED"}, revision=0, by=bing)
    attach(contract, "nodes", name="UNSENTFILENAME.txt", data=b"UNSENTFILECONTENT", by=bing)
    unsent = services.freeze_revision(contract, by=bing)
    services.record(contract, "revision_frozen", by=bing, body={"reason": "REVISIONNOTSENT"}, revision=unsent)
    return contract


def readable(response):
    """Everything in an answer that can be read, in whatever it is packed."""
    data = b"".join(response.streaming_content) if response.streaming else response.content
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            data = b"".join(packed.read(name) for name in packed.namelist())
    return data.decode("utf-8", "replace")


def walked(client, contract):
    """Address -> text of every page of the contract that opens, and of the lists and files beside it."""
    urls = dict(addresses(contract, GET))
    urls["unsent clauses"] = reverse("contract-clauses", args=[contract.uuid, 2, "docx"])
    urls["compare"] = reverse("contract-compare", args=[contract.uuid, 1, 2])
    for file in contract.draft_files.all():
        urls[f"file {file.name}"] = reverse("contract-file", args=[contract.uuid, file.uuid])
    urls |= {"list": reverse("contract-list"), "dashboard": reverse("dashboard")}
    found = {name: client.get(url) for name, url in urls.items()}
    return {name: readable(response) for name, response in found.items()}


@pytest.mark.parametrize("state", STATES)
def test_the_vendor_reads_nothing_that_is_only_the_buyers(client, contract, state):
    Contract.objects.filter(pk=contract.pk).update(state=state)
    client.force_login(factories.person("vera" if STATES.index(state) % 2 else "sun"))
    pages = walked(client, contract)
    leaks = {(name, secret) for name, text in pages.items() for secret in SECRETS if secret in text}
    assert len(pages) > 30 and leaks == set()


def test_the_buyer_does_read_them_so_the_marks_are_where_people_write(client, contract):
    Contract.objects.filter(pk=contract.pk).update(state="answered")
    client.force_login(factories.person("ada"))
    text = "".join(walked(client, contract).values())
    read = {secret for secret in SECRETS if secret in text}
    assert {"COMMENTONLYOURS", "UNTOLDDECISION", "UNSENTGROUPNAME", "UNSENTFILENAME", "UNSENTFILECONTENT"} <= read
