"""Every fault has a sentence; transport is patient, forgeries are not."""

from datetime import timedelta

import pytest

from gpucontract.agent.protocol import REFUSALS as AGENT_REFUSALS
from gpucontract.measurements import faults, fetching
from gpucontract.measurements.faults import Fault, sentence, tries, wait

PATIENT = ["refused", "unreachable", "timeout", "disconnected", "busy", "stale_order", "agent_failed", "tls"]
STRICT = ["bad_signature", "replayed", "edited_body", "wrong_secret", "too_large", "garbage", "wrong_node"]


@pytest.mark.parametrize("code", PATIENT)
def test_transport_faults_are_tried_many_times(code):
    assert tries(code) == 8


@pytest.mark.parametrize("code", STRICT)
def test_forgeries_are_tried_few_times(code):
    assert tries(code) == 3


@pytest.mark.parametrize("code", ["too_long", "cancelled", "superseded"])
def test_some_faults_are_final_at_once(code):
    assert tries(code) == 1


def test_waits_double_up_to_five_minutes():
    seconds = [wait(attempts).total_seconds() for attempts in range(1, 9)]
    assert seconds == [5, 10, 20, 40, 80, 160, 300, 300]
    assert wait(10_000) == timedelta(minutes=5)


@pytest.mark.parametrize("code", faults.SENTENCES)
def test_every_code_says_what_to_do_in_both_languages(code):
    text = sentence(str(Fault(code, "HTTP 401")))
    assert "HTTP 401" in text.zh and "HTTP 401" in text.en
    assert sentence(code) == faults.SENTENCES[code]


def test_no_error_has_no_sentence_and_an_unknown_code_shows_itself():
    assert sentence("") is None
    assert sentence("from_the_future: x").en == "from_the_future (x)"


def test_every_fault_the_window_names_has_a_sentence():
    named = {code for _, code in fetching._KINDS} | set(fetching.REFUSALS.values())
    assert named | {"unreachable", "refused", "blocked_address"} <= set(faults.SENTENCES)


def test_every_refusal_of_an_agent_is_understood():
    protocol_slips = {"not_found", "wrong_method", "length_required", "order_too_large"}
    assert set(AGENT_REFUSALS) - protocol_slips == set(fetching.REFUSALS)
