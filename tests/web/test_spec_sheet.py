"""A vendor's spec sheet becomes terms: seen line by line first, taken over by choice, through the door of typing."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from gpucontract.contracts import services
from gpucontract.contracts.errors import TermsRefused
from gpucontract.contracts.models import Event, SpecSheet
from gpucontract.contracts.snapshot import terms_of
from gpucontract.web.spec_sheet_page import MOST_LINES, mapped
from gpucontract.web.wizard import Draft
from tests import factories
from tests.books import SPEC, book
from tests.web.typing_in import post as type_in

pytestmark = pytest.mark.django_db


def upload(client, contract, data=SPEC, name="规格.xlsx"):
    return client.post(reverse("contract-spec-sheet", args=[contract.uuid]), {"file": SimpleUploadedFile(name, data)})


def spec_of(contract):
    return SpecSheet.objects.get(contract=contract)


def form_of(spec, **changes):
    """What the page would post as it was shown, with changes by field name."""
    found = mapped(spec, Draft.of(spec.contract), {})
    fields = {"sheet": "0", "shown": "0", "was_across": "", "across": ""}
    fields |= {"labels": str(found.layout.labels), "values": str(found.layout.values), "units": str(found.layout.units)}
    for line in found.lines:
        fields |= {f"label-{line.entry.place}": line.entry.label, f"term-{line.entry.place}": line.typed}
        fields |= {f"use-{line.entry.place}": "yes"} if line.is_used else {}
    return {name: value for name, value in (fields | changes).items() if value is not None}


def take(client, spec, **changes):
    return client.post(reverse("spec-sheet", args=[spec.uuid]), form_of(spec, act="take", **changes))


@pytest.fixture
def spec(drafter, contract):
    upload(drafter, contract)
    return spec_of(contract)


def test_the_page_shows_old_and_new_conversions_and_faults(drafter, spec):
    drafter.cookies["django_language"] = "en"
    page = drafter.get(reverse("spec-sheet", args=[spec.uuid])).content.decode()
    assert "2 Gb/s = 2000 Mb/s" in page
    assert "“尽快” holds no single number." in page
    assert ">B13<" in page


def test_only_what_is_ticked_is_taken_over(drafter, contract, spec):
    before = terms_of(contract)
    answer = take(drafter, spec, **{"use-13": None, "use-14": None})
    after = terms_of(contract)
    assert answer.url == reverse("contract-draft-check", args=[contract.uuid])
    assert after["c/public_bw_mbps"] == 2000
    assert after["c/driver_version"] == "550.90"
    assert after["c/p1_response_min"] == before["c/p1_response_min"]
    assert not SpecSheet.objects.exists()


def test_a_ticked_fault_stops_everything_and_names_cell_value_and_reason(drafter, contract, spec):
    before = terms_of(contract)
    answer = take(drafter, spec, **{"use-14": "yes"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "B14" in page
    assert "“尽快”" in page
    assert '<a href="#use-14">' in page and 'id="use-14"' in page
    assert page.count('class="is-wrong"') == 1
    assert terms_of(contract) == before


def test_a_term_can_be_chosen_by_its_name(drafter, contract, spec):
    take(drafter, spec, **{"term-15": "server_model", "use-15": "yes"})
    assert terms_of(contract)["g1/server_model"] == "黑"


def test_a_name_nobody_knows_is_a_fault(drafter, spec):
    answer = take(drafter, spec, **{"term-15": "颜色", "use-15": "yes"})
    assert answer.status_code == 422


def test_two_lines_for_one_term_are_a_fault(drafter, spec):
    answer = take(drafter, spec, **{"term-15": "driver_version", "use-15": "yes"})
    assert answer.status_code == 422


def test_nothing_ticked_says_so(drafter, contract, spec):
    answer = drafter.post(
        reverse("spec-sheet", args=[spec.uuid]), {"act": "take", "labels": "1", "shown": "0", "sheet": "0"}
    )
    assert answer.status_code == 422
    assert SpecSheet.objects.exists()


def test_machines_go_to_the_group_that_is_chosen(drafter, contract, bing):
    services.add_group(contract, by=bing)
    upload(drafter, contract)
    take(drafter, spec_of(contract), **{"to-g": "g2", "use-5": "yes"})
    terms = terms_of(contract)
    assert terms["g2/gpus_per_node"] == 8
    assert terms.groups == ("g1", "g2")


def test_another_sheet_and_other_columns_can_be_chosen(drafter, contract):
    upload(
        drafter, contract, book([["说明"]], more=[("二", [["GPU型号", "旧", "A100 80GB SXM4"], ["内存", "x", "1TB"]])])
    )
    spec = spec_of(contract)
    url = reverse("spec-sheet", args=[spec.uuid])
    assert "A100" not in drafter.post(url, {"sheet": "0", "act": "show"}).content.decode()
    shown = drafter.post(url, {"sheet": "1", "shown": "1", "labels": "1", "values": "3", "units": "0", "act": "show"})
    assert "A100 80GB SXM4" in shown.content.decode()


def test_values_pass_the_validation_of_typing(contract, bing):
    kept = services.keep_sheet(contract, name="a.xlsx", data=SPEC, by=bing)
    with pytest.raises(TermsRefused):
        services.apply_sheet(kept, values={"g1": {"gpus_per_node": 999}}, by=bing)
    assert SpecSheet.objects.exists()


def test_the_journal_names_the_file_and_what_it_changed(drafter, contract, spec):
    take(drafter, spec)
    event = Event.objects.get(contract=contract, kind="sheet_taken_over")
    assert "规格.xlsx" in event.body
    assert "c/public_bw_mbps" in event.body


def test_unsaved_text_in_the_wizard_is_pointed_out(drafter, contract, spec):
    type_in(drafter, contract, "sla", act="later", c__p1_response_min="abc")
    assert (
        reverse("contract-draft-step", args=[contract.uuid, "sla"])
        in drafter.get(reverse("spec-sheet", args=[spec.uuid])).content.decode()
    )


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"a,b\n1,2"])
def test_what_is_no_spec_sheet_is_refused_beside_the_field(drafter, contract, data):
    assert upload(drafter, contract, data).status_code == 422
    assert not SpecSheet.objects.exists()


def test_markup_in_a_cell_is_shown_as_text(drafter, contract):
    upload(drafter, contract, book([["GPU型号", "<script>x</script>"], ["<b>内存</b>", "2TB"]]))
    page = drafter.get(reverse("spec-sheet", args=[spec_of(contract).uuid])).content.decode()
    assert "<script>x" not in page
    assert "<b>内存" not in page


def test_a_sheet_belongs_to_who_uploaded_it(client, contract, spec):
    client.force_login(factories.person("ada"))
    assert client.get(reverse("spec-sheet", args=[spec.uuid])).status_code == 404


def test_a_new_upload_replaces_the_old_and_giving_up_leaves_nothing(drafter, contract, spec):
    upload(drafter, contract, book([["内存", "1TB"]]), "b.xlsx")
    assert SpecSheet.objects.get().name == "b.xlsx"
    drafter.post(reverse("spec-sheet-drop", args=[SpecSheet.objects.get().uuid]))
    assert not SpecSheet.objects.exists()


def test_a_contract_that_is_out_takes_no_sheet(drafter):
    contract = factories.sent_contract()
    assert upload(drafter, contract).status_code == 409


def test_of_a_long_sheet_the_known_labels_are_shown_first_and_the_rest_is_counted(drafter, contract):
    rows = [["项目", "规格"], ["GPU数量", 8], *([f"编号 {number}", number] for number in range(300)), ["内存", "2TB"]]
    upload(drafter, contract, book(rows))
    found = mapped(spec_of(contract), Draft.of(contract), {})
    assert len(found.lines) == MOST_LINES
    assert found.left_out == len(rows) - MOST_LINES
    assert found.lines[-1].entry.label == "内存"
    page = drafter.get(reverse("spec-sheet", args=[spec_of(contract).uuid])).content.decode()
    assert f"还有{found.left_out}行未显示" in page
