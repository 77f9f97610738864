"""Files beside a draft: known by content, counted, sent with the revision, kept with it when taken away later."""

import pytest

from gpucontract.contracts import attaching
from gpucontract.contracts.errors import ContractError, NotAllowed
from gpucontract.contracts.models import DraftFile
from gpucontract.contracts.services import attach, detach, freeze_revision, send_revision
from gpucontract.filing import FilingError
from tests import factories

pytestmark = pytest.mark.django_db
PDF = b"%PDF-1.7\n"
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def contract():
    return factories.drafted_contract()


def lay(contract, name="拓扑.pdf", data=PDF, step="nodes", **options):
    return attach(contract, step, name=name, data=data, by=factories.person("bing"), **options)


def seen_by(name):
    return [each.name for each in DraftFile.objects.visible_to(factories.person(name))]


def test_it_is_known_by_what_it_holds_and_named_by_its_hash(contract):
    file = lay(contract, "拓扑.png")
    assert (file.kind, file.size_bytes, len(file.sha256)) == ("pdf", len(PDF), 64)


@pytest.mark.parametrize("data", [b"", b"MZ\x90\x00\xff", b"<html><script>"], ids=["empty", "program", "page"])
def test_what_is_no_document_is_refused_with_what_is_taken(contract, data):
    with pytest.raises(FilingError):
        lay(contract, data=data)
    assert not DraftFile.objects.exists()


def test_the_same_file_is_not_kept_twice_in_one_place(contract):
    lay(contract)
    with pytest.raises(ContractError, match="已经在这里"):
        lay(contract, "别名.pdf")
    lay(contract, term="g1/gpu_model")


def test_a_step_holds_a_limited_number(contract, monkeypatch):
    monkeypatch.setattr(attaching, "MOST_FILES", 1)
    lay(contract)
    with pytest.raises(ContractError, match="最多 1 个"):
        lay(contract, data=PNG)


@pytest.mark.parametrize(("step", "term"), [("weather", ""), ("nodes", "c/unit_price"), ("nodes", "g1/nothing")])
def test_it_belongs_to_a_step_and_a_term_of_it(contract, step, term):
    with pytest.raises(ContractError):
        lay(contract, step=step, term=term)


def test_only_drafters_lay_files(contract):
    with pytest.raises(NotAllowed):
        attach(contract, "nodes", name="a.pdf", data=PDF, by=factories.person("wen"))


def test_the_vendor_sees_only_what_went_out_with_a_revision(contract, ada):
    lay(contract)
    assert (seen_by("bing"), seen_by("vera"), seen_by("mallory"), seen_by("zoe")) == (["拓扑.pdf"], [], [], [])
    revision = send_revision(contract, by=ada)
    assert (seen_by("vera"), seen_by("mallory"), seen_by("zoe")) == (["拓扑.pdf"], [], [])
    (said,) = revision.body().attachments
    assert said == {"step": "nodes", "term": "", "name": "拓扑.pdf", "sha256": DraftFile.objects.get().sha256}


def test_one_taken_away_leaves_the_draft_and_stays_with_its_revision(contract, bing, ada):
    file = lay(contract)
    revision = send_revision(contract, by=ada)
    from_draft = lay_again(contract, file, bing)
    assert not from_draft.draft_files.in_draft().exists()
    assert [each.name for each in revision.draft_files.all()] == ["拓扑.pdf"]


def lay_again(contract, file, bing):
    contract.refresh_from_db()
    type(contract).objects.filter(pk=contract.pk).update(state="draft")
    file.contract.refresh_from_db()
    detach(file, by=bing)
    return contract


def test_a_new_file_is_news_for_the_vendor(contract, bing):
    first = freeze_revision(contract, by=bing)
    lay(contract)
    assert freeze_revision(contract, by=bing).number == first.number + 1
