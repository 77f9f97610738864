"""Files beside a step: uploaded with the page's own button, listed, taken away, handed out to be saved."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from gpucontract.contracts.models import DraftFile
from gpucontract.contracts.services import send_revision
from gpucontract.filing import MOST_BYTES
from tests import factories
from tests.web.typing_in import post, shown, url

pytestmark = pytest.mark.django_db


def upload(client, contract, data=b"%PDF-1.7\n", name="机柜 图纸.pdf", **changes):
    inputs = shown(client, contract, "nodes") | changes
    return client.post(url(contract, "nodes"), inputs | {"act": "attach", "file": SimpleUploadedFile(name, data)})


def test_an_uploaded_file_is_listed_and_what_was_typed_stays(drafter, contract):
    response = upload(drafter, contract, **{"g1-name": "改过的名"})
    assert response["Location"].endswith("#files")
    page = drafter.get(response["Location"]).content.decode()
    assert "机柜 图纸.pdf" in page and DraftFile.objects.get().sha256 in page
    assert shown(drafter, contract, "nodes")["g1-name"] == ["改过的名"]


def test_a_refused_file_says_why_and_loses_nothing(drafter, contract):
    response = upload(drafter, contract, data=b"MZ\x00\xff", **{"g1-name": "改过的名"})
    assert "不是可接受的类型" in drafter.get(response["Location"]).content.decode()
    assert shown(drafter, contract, "nodes")["g1-name"] == ["改过的名"]


def test_a_file_above_the_limit_says_both_sizes_and_loses_nothing_typed(drafter, contract):
    response = upload(drafter, contract, data=b"%PDF" + bytes(MOST_BYTES), **{"g1-name": "改过的名"})
    page = drafter.get(response["Location"]).content.decode()
    assert "“机柜 图纸.pdf”有 21 MB，最大 20 MB" in page and not DraftFile.objects.exists()
    assert shown(drafter, contract, "nodes")["g1-name"] == ["改过的名"]


def test_of_several_files_the_good_ones_stay_beside_one_above_the_limit(drafter, contract):
    large, small = (
        SimpleUploadedFile(name, b"%PDF-" + bytes(size)) for name, size in (("大.pdf", MOST_BYTES), ("小.pdf", 1))
    )
    inputs = shown(drafter, contract, "nodes") | {"act": "attach", "file": [large, small]}
    page = drafter.get(drafter.post(url(contract, "nodes"), inputs)["Location"]).content.decode()
    assert "“大.pdf”有 21 MB，最大 20 MB" in page and [each.name for each in DraftFile.objects.all()] == ["小.pdf"]


def test_a_file_is_taken_away_again(drafter, contract):
    upload(drafter, contract)
    post(drafter, contract, "nodes", act=f"detach:{DraftFile.objects.get().uuid}")
    assert not contract.draft_files.in_draft().exists()
    assert post(drafter, contract, "nodes", act="detach:nothing").status_code == 404


def test_it_stands_on_the_check_page(drafter, contract):
    upload(drafter, contract)
    page = drafter.get(reverse("contract-draft-check", args=[contract.uuid])).content.decode()
    assert "机柜 图纸.pdf" in page


def test_it_is_handed_out_to_be_saved_and_never_shown_inline(drafter, contract):
    upload(drafter, contract)
    response = drafter.get(reverse("contract-file", args=[contract.uuid, DraftFile.objects.get().uuid]))
    assert response["Content-Disposition"].startswith("attachment;")
    assert (response["Content-Type"], response["X-Content-Type-Options"]) == ("application/pdf", "nosniff")
    assert response.content == b"%PDF-1.7\n"


def test_the_vendor_gets_it_only_after_sending(drafter, contract, ada):
    upload(drafter, contract)
    address = reverse("contract-file", args=[contract.uuid, DraftFile.objects.get().uuid])
    drafter.force_login(factories.person("vera"))
    assert drafter.get(address).status_code == 404
    send_revision(contract, by=ada)
    assert drafter.get(address).status_code == 200
    assert "机柜 图纸.pdf" in drafter.get(reverse("contract-documents", args=[contract.uuid])).content.decode()
    drafter.force_login(factories.person("mallory"))
    assert drafter.get(address).status_code == 404


def test_an_admin_who_may_not_see_the_draft_gets_its_file_only_after_sending(drafter, contract, ada):
    upload(drafter, contract)
    address = reverse("contract-file", args=[contract.uuid, DraftFile.objects.get().uuid])
    drafter.force_login(factories.person("adam"))
    assert drafter.get(address).status_code == 403
    assert drafter.get(reverse("contract-draft-json", args=[contract.uuid])).status_code == 403
    drafter.force_login(factories.person("eng"))
    assert drafter.get(address).status_code == 200
    send_revision(contract, by=ada)
    drafter.force_login(factories.person("adam"))
    assert drafter.get(address).status_code == 200
