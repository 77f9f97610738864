"""Requests that no view can read get a sentence, not a fault of ours."""

import pytest
from django.urls import reverse


@pytest.fixture
def signed_in(client, bing):
    client.force_login(bing)
    return client


def test_a_hundred_megabytes_are_refused_with_the_limit(signed_in):
    answer = signed_in.post(
        reverse("contract-new"), b"title=" + b"x" * 100_000_000, "application/x-www-form-urlencoded"
    )
    assert answer.status_code == 413
    assert "5 MiB" in answer.content.decode()


def test_too_many_fields_are_refused(signed_in):
    answer = signed_in.post(reverse("contract-new"), {f"f{number}": "" for number in range(6000)})
    assert answer.status_code == 400
    assert "字段数超过" in answer.content.decode()


@pytest.mark.parametrize("address", ("/contracts/not-a-uuid/", "/nothing/here/", "/contracts/%00/"))
def test_an_address_that_leads_nowhere_is_not_found(signed_in, address):
    assert signed_in.get(address).status_code == 404


def test_another_host_name_is_refused_without_a_fault(signed_in):
    assert signed_in.get("/", headers={"host": "evil.example"}).status_code == 400
