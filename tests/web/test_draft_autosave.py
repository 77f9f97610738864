"""Autosave: what is typed is kept as typed, and the answer never touches the inputs."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from gpucontract.contracts.models import StepBuffer
from gpucontract.contracts.snapshot import terms_of
from gpucontract.web.wizard import Draft
from tests import factories
from tests.web.typing_in import shown, url

pytestmark = pytest.mark.django_db


def autosave(client, contract, step, typed, **changes):
    typed = typed | {name.replace("__", "-"): value for name, value in changes.items()}
    path = url(contract, step, "contract-draft-autosave")
    return client.post(path, typed, headers={"HX-Request": "true"})


def panel(client, contract, step):
    return client.get(url(contract, step, "contract-draft-panel")).content.decode()


def test_it_is_one_short_transaction_of_few_queries(drafter, contract, django_assert_max_num_queries):
    typed = shown(drafter, contract, "nodes")
    autosave(drafter, contract, "nodes", typed)
    with CaptureQueriesContext(connection) as seen:
        assert autosave(drafter, contract, "nodes", typed).status_code == 200
    said = [query["sql"] for query in seen if "SAVEPOINT" not in query["sql"]]
    to_sign_in = [sql for sql in said if "django_session" in sql or 'FROM "accounts_user"' in sql]
    assert len(to_sign_in) <= 2 and len(said) - len(to_sign_in) <= 4, said


def test_text_equal_to_what_is_stored_is_not_called_unsaved(drafter, contract):
    autosave(drafter, contract, "nodes", shown(drafter, contract, "nodes"))
    assert not Draft.of(contract).is_unsaved("nodes")
    autosave(drafter, contract, "nodes", shown(drafter, contract, "nodes"), g1__name="x")
    assert Draft.of(contract).is_unsaved("nodes")


def test_half_a_number_is_kept_and_not_written(drafter, contract):
    response = autosave(drafter, contract, "nodes", shown(drafter, contract, "nodes"), g1__node_count="2,")
    assert response.status_code == 200
    assert StepBuffer.objects.get(step="nodes").values()["g1-node_count"] == ["2,"]
    assert terms_of(contract)["g1/node_count"] == 2


def test_the_answer_says_who_and_when_and_gives_the_next_revision(drafter, contract):
    page = autosave(drafter, contract, "nodes", shown(drafter, contract, "nodes")).content.decode()
    assert "保存（Bing）" in page
    assert '<input type="hidden" name="revision" id="revision" value="1" hx-swap-oob="true">' in page


def wrong_in(client, contract, step):
    response = client.get(url(contract, step, "contract-draft-panel"))
    return json.loads(response["HX-Trigger"])["draft-checked"]["wrong"]


def test_the_panel_tells_the_page_which_inputs_are_still_wrong(drafter, contract):
    typed = shown(drafter, contract, "nodes")
    autosave(drafter, contract, "nodes", typed, g1__node_count="zwei", g1__gpus_per_node="")
    assert wrong_in(drafter, contract, "nodes") == ["g1-gpus_per_node", "g1-node_count"]
    typed = shown(drafter, contract, "nodes")
    autosave(drafter, contract, "nodes", typed, g1__node_count="1,000", g1__gpus_per_node="8")
    assert wrong_in(drafter, contract, "nodes") == []


def test_the_answer_holds_no_input_but_the_revision(drafter, contract):
    page = autosave(drafter, contract, "nodes", shown(drafter, contract, "nodes")).content.decode()
    assert page.count("<input") == 1
    assert "<select" not in page


def test_the_checks_speak_of_what_is_typed_before_it_is_saved(drafter, contract):
    typed = shown(drafter, contract, "nodes")
    assert autosave(drafter, contract, "nodes", typed)["HX-Trigger"] == "draft-saved"
    assert "C-NOD-01" not in panel(drafter, contract, "nodes")
    autosave(drafter, contract, "nodes", typed, c__total_gpu_count_stated="64")
    page = panel(drafter, contract, "nodes")
    assert "C-NOD-01" in page
    assert '<dd class="clash">64 张 GPU</dd>' in page


def test_the_same_page_saves_again_and_again(drafter, contract):
    typed = shown(drafter, contract, "nodes")
    autosave(drafter, contract, "nodes", typed)
    assert autosave(drafter, contract, "nodes", typed, g1__name="x").status_code == 200
    assert StepBuffer.objects.get(step="nodes").values()["g1-name"] == ["x"]


def test_the_second_of_two_people_is_told_and_overwrites_nothing(drafter, contract):
    theirs = shown(drafter, contract, "nodes")
    drafter.force_login(factories.person("ada"))
    autosave(drafter, contract, "nodes", shown(drafter, contract, "nodes"), g1__name="Ada's")
    drafter.force_login(factories.person("bing"))
    response = autosave(drafter, contract, "nodes", theirs, g1__name="Bing's")
    assert response.status_code == 409
    assert "有人修改过（Ada）" in response.content.decode()
    assert StepBuffer.objects.get(step="nodes").values()["g1-name"] == ["Ada's"]


def test_ones_own_other_window_is_called_that(drafter, contract):
    first = shown(drafter, contract, "nodes")
    autosave(drafter, contract, "nodes", shown(drafter, contract, "nodes"), g1__name="x")
    response = autosave(drafter, contract, "nodes", first, g1__name="y")
    assert response.status_code == 409
    assert "从另一个窗口修改过这一步" in response.content.decode()


def test_a_lost_session_is_a_401_with_a_sentence(client, contract):
    assert autosave(client, contract, "nodes", {}).status_code == 401


def test_foreign_inputs_are_not_kept(drafter, contract):
    autosave(drafter, contract, "nodes", shown(drafter, contract, "nodes") | {"zz-evil": "1", "m1-path": "/etc"})
    assert not {"zz-evil", "m1-path", "csrfmiddlewaretoken"} & StepBuffer.objects.get(step="nodes").values().keys()


def test_a_page_of_nonsense_is_no_fault_of_ours(drafter, contract):
    response = autosave(drafter, contract, "nodes", {"g1-node_count": "\x00" * 50, "revision": "²", "tab": "x" * 999})
    assert response.status_code == 200
