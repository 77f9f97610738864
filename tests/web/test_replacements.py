"""A part the vendor declared replaced: the buyer reads what agreeing and refusing mean before pressing either."""

import re

import pytest
from django.urls import reverse

from tests import factories
from tests.web import stage

pytestmark = pytest.mark.django_db
MEANS = "应有的就是这些部件"


@pytest.fixture
def scene(db):
    made = stage.measured()
    stage.replacement_of(made.node)
    return made


def page_of(client, name, scene):
    client.force_login(factories.person(name))
    return client.get(reverse("contract-runs", args=[scene.contract.uuid])).content.decode()


def test_what_follows_stands_beside_the_buttons_and_goes_with_them(client, scene):
    assert MEANS in page_of(client, "eng", scene) and MEANS not in page_of(client, "vera", scene)
    client.force_login(factories.person("eng"))
    client.post(reverse("replacement-decide", args=[scene.node.replacements.get().uuid]), {"agree": ""})
    page = page_of(client, "eng", scene)
    assert "已同意" in page and MEANS not in page


def test_the_day_in_the_pages_head_and_the_days_left_are_two_words(client, scene):
    page = page_of(client, "eng", scene)
    assert re.search(r"\d{4}-\d\d-\d\d</a> <span class=\"row-sub\">", page)
