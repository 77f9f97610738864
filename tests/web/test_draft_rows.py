"""Node groups, mounts and their lines: added, copied and removed by buttons that need no script."""

import pytest
from django.urls import reverse

from gpucontract.contracts.snapshot import terms_of
from tests import factories
from tests.web.typing_in import post, shown, url

pytestmark = pytest.mark.django_db


def test_an_added_group_is_empty_and_what_was_typed_stays(drafter, contract):
    response = post(drafter, contract, "nodes", act="add:g", g1__name="改过的名")
    assert response["Location"] == f"{url(contract, 'nodes')}#row-g2"
    inputs = shown(drafter, contract, "nodes")
    assert inputs["g1-name"] == ["改过的名"]
    assert inputs["g2-gpu_model"] == [""]


def test_a_copied_group_has_what_was_typed_into_the_first_and_its_other_steps(drafter, contract):
    post(drafter, contract, "nodes", act="copy:g1", g1__name="改过的名")
    inputs = shown(drafter, contract, "nodes")
    assert inputs["g2-name"] == ["改过的名"]
    assert terms_of(contract)["g2/inter_port_gbps"] == 400


def test_a_copied_group_can_be_saved_at_once(drafter, contract):
    post(drafter, contract, "nodes", act="copy:g1")
    assert post(drafter, contract, "nodes", c__total_gpu_count_stated="32").status_code == 302
    assert terms_of(contract)["g2/node_count"] == 2


def test_a_removed_group_is_gone_and_its_code_is_not_given_again(drafter, contract):
    post(drafter, contract, "nodes", act="add:g")
    post(drafter, contract, "nodes", act="remove:g2")
    post(drafter, contract, "nodes", act="add:g")
    assert terms_of(contract).groups == ("g1", "g3")


def test_the_last_group_stays_and_the_page_says_why(drafter, contract):
    response = post(drafter, contract, "nodes", act="remove:g1")
    page = drafter.get(response["Location"]).content.decode()
    assert "不能删除" in page
    assert terms_of(contract).groups == ("g1",)


def fill_a_line(drafter, contract):
    post(drafter, contract, "storage", act="line:m1-io_test_profile")
    line = {"rw": "read", "block_size": "1MiB", "iodepth": "32", "numjobs": "8", "clients": "2", "runtime_s": "60"}
    filled = {f"m1__io_test_profile__new1__{name}": value for name, value in {**line, "direct": "yes"}.items()}
    return post(drafter, contract, "storage", **filled)


def test_a_test_profile_line_is_added_filled_and_saved(drafter, contract):
    assert fill_a_line(drafter, contract).status_code == 302
    (row,) = terms_of(contract)["m1/io_test_profile"]
    assert (row["block_size"], row["iodepth"], row["direct"]) == ("1MiB", 32, True)


def test_a_duplicated_line_stands_behind_the_first_with_the_same_text(drafter, contract):
    fill_a_line(drafter, contract)
    (code,) = shown(drafter, contract, "storage")["m1-io_test_profile"]
    response = post(drafter, contract, "storage", act=f"copyline:m1-io_test_profile-{code}")
    assert response["Location"].endswith("#line-m1-io_test_profile-new1")
    inputs = shown(drafter, contract, "storage")
    assert inputs["m1-io_test_profile"] == [code, "new1"]
    assert inputs["m1-io_test_profile-new1-iodepth"] == ["32"]
    assert post(drafter, contract, "storage").status_code == 302
    assert len(terms_of(contract)["m1/io_test_profile"]) == 2


def test_an_empty_line_is_not_passed_silently(drafter, contract):
    post(drafter, contract, "storage", act="line:m1-io_test_profile")
    response = post(drafter, contract, "storage")
    assert response.status_code == 422
    assert len(response.context["problems"]) == 7


def test_a_dropped_line_is_gone_after_saving(drafter, contract):
    post(drafter, contract, "acceptance", act="line:c-delivery_documents")
    before = len(terms_of(contract).get("c/delivery_documents", ()))
    post(drafter, contract, "acceptance", act="drop:c-delivery_documents-new1")
    assert post(drafter, contract, "acceptance").status_code == 302
    assert len(terms_of(contract).get("c/delivery_documents", ())) == before


def test_a_stored_line_keeps_its_code_through_a_save(drafter, contract):
    codes = [row["code"] for row in terms_of(contract)["c/delivery_documents"]]
    post(drafter, contract, "acceptance", c__repeat_runs="5")
    assert [row["code"] for row in terms_of(contract)["c/delivery_documents"]] == codes


def test_a_copied_mount_gets_lines_of_its_own(drafter, contract):
    fill_a_line(drafter, contract)
    post(drafter, contract, "storage", act="copy:m1")
    inputs = shown(drafter, contract, "storage")
    assert inputs["m2-io_test_profile"] != inputs["m1-io_test_profile"]
    assert post(drafter, contract, "storage", m2__path="/scratch").status_code == 302
    codes = {row["code"] for code in ("m1", "m2") for row in terms_of(contract)[f"{code}/io_test_profile"]}
    assert len(codes) == 2


def test_a_mount_can_be_hidden_from_a_group(drafter, contract):
    post(drafter, contract, "nodes", act="copy:g1")
    post(drafter, contract, "nodes", c__total_gpu_count_stated="32")
    post(drafter, contract, "storage", m1__groups=["g2"])
    assert terms_of(contract)["m1/groups"] == ("g2",)


def test_a_group_that_is_not_there_is_refused_in_words(drafter, contract):
    response = post(drafter, contract, "nodes", act="copy:g9")
    assert "g9" in drafter.get(response["Location"]).content.decode()


def test_a_stranger_cannot_add_a_row(client, contract, mallory):
    client.force_login(mallory)
    path = reverse("contract-draft-step", args=[contract.uuid, "nodes"])
    assert client.post(path, {"act": "add:g"}).status_code == 404
    assert factories.empty_contract().node_groups.count() == 1
