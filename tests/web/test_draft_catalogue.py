"""Choosing a GPU fills what follows from it with one button; marks and blockers stand right at their inputs."""

import pytest

from gpucontract.contracts.snapshot import terms_of
from tests import factories
from tests.web.typing_in import post, shown, url

pytestmark = pytest.mark.django_db


def page(client, contract, step):
    return client.get(url(contract, step)).content.decode()


def test_one_button_fills_what_follows_from_what_it_fills(drafter):
    contract = factories.empty_contract()
    post(drafter, contract, "nodes", act="later", g1__gpu_model="H100 SXM5 80GB")
    post(drafter, contract, "software", act="fill")
    inputs = shown(drafter, contract, "software")
    assert (inputs["c-cuda_version"], inputs["c-driver_version"]) == (["11.8"], ["450"])


def test_one_button_fills_what_follows_from_the_gpu_and_keeps_what_was_typed(drafter):
    contract = factories.empty_contract()
    post(drafter, contract, "nodes", act="fill", g1__gpu_model="H100 SXM5 80GB", g1__gpu_memory_gb="94")
    inputs = shown(drafter, contract, "nodes")
    assert (inputs["g1-gpu_memory_gb"], inputs["g1-gpu_form_factor"]) == (["94"], ["SXM"])
    assert not terms_of(contract).is_given("g1/gpu_model")


def test_a_version_above_the_least_one_is_not_proposed_down(drafter, contract):
    post(drafter, contract, "software", act="later", c__cuda_version="12.4", c__driver_version="550.54")
    assert "采用" not in page(drafter, contract, "software")
    post(drafter, contract, "software", act="later", c__cuda_version="11.2", c__driver_version="")
    shown_again = page(drafter, contract, "software")
    assert shown_again.count("采用") == 2 and "填入空着的各项" in shown_again
    post(drafter, contract, "software", act="later", c__cuda_version="11.2", c__driver_version="550.54")
    assert "填入空着的各项" not in page(drafter, contract, "software")


def test_a_value_of_the_catalogue_is_marked_as_such(drafter, contract):
    assert "来自目录：H100" in page(drafter, contract, "nodes")


def test_a_wrong_code_is_told_right_at_its_input(drafter, contract):
    post(drafter, contract, "parties", act="later", c__vendor_uscc="91110108MA01234567")
    said = page(drafter, contract, "parties")
    place = said[said.index('id="div_id_c-vendor_uscc"') :]
    assert 'class="term-note bad"' in place[: place.index('class="term-head"', 200)]


def test_a_card_of_another_maker_says_what_cannot_be_measured(drafter, contract):
    post(drafter, contract, "nodes", act="later", g1__gpu_model="Ascend 910B")
    assert "测不了" in page(drafter, contract, "nodes")


def test_an_untouched_step_shows_no_red(drafter):
    assert 'class="term-note bad"' not in page(drafter, factories.empty_contract(), "storage")
