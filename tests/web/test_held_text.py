"""A session that ended while somebody typed, in a browser without script: the text outlives the sign-in."""

import pytest
from allauth.account.models import EmailAddress
from django.urls import reverse

from gpucontract.contracts import services
from gpucontract.contracts.models import StepBuffer
from gpucontract.contracts.snapshot import terms_of
from tests import factories
from tests.web.typing_in import shown, typed_on, url

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-password"


@pytest.fixture
def people():
    for name in ("bing", "ada"):
        person = factories.person(name)
        person.set_password(PASSWORD)
        person.save()
        EmailAddress.objects.create(user=person, email=person.email, verified=True, primary=True)


def sign_in(client, name, goal):
    given = {"login": factories.PEOPLE[name][0], "password": PASSWORD, "next": goal}
    return client.post(reverse("account_login"), given)


def type_without_session(client, contract, **changes):
    """What a browser posts whose page is older than the end of its session."""
    client.force_login(factories.person("bing"))
    page = shown(client, contract, "sla")
    client.logout()
    return client.post(url(contract, "sla"), page | changes | {"act": "save"})


def test_the_text_is_there_again_after_signing_in_and_is_saved_from_there(client, contract, people):
    here = url(contract, "sla")
    lost = type_without_session(client, contract, **{"c-p1_response_min": "47"})
    assert (lost.status_code, lost["Location"]) == (302, f"{reverse('account_login')}?next={here}")
    assert "您输入的内容已保留" in client.get(lost["Location"]).content.decode()
    assert sign_in(client, "bing", here)["Location"] == here
    page = client.get(here).content.decode()
    assert 'value="47"' in page
    assert "下面是当时输入的内容" in page
    assert terms_of(contract)["c/p1_response_min"] != 47
    assert client.post(here, typed_on(page) | {"act": "save"}).status_code == 302
    assert terms_of(contract)["c/p1_response_min"] == 47
    assert "下面是当时输入的内容" not in client.get(here).content.decode()


def test_nobody_else_who_signs_in_there_sees_it(client, contract, people):
    type_without_session(client, contract, **{"c-p1_response_min": "47"})
    sign_in(client, "ada", url(contract, "sla"))
    page = client.get(url(contract, "sla")).content.decode()
    assert 'value="47"' not in page
    assert not StepBuffer.objects.filter(contract=contract, step="sla").exists()


def test_somebody_elses_change_meanwhile_is_a_conflict_and_not_overwritten(client, contract, people):
    type_without_session(client, contract, **{"c-p1_response_min": "47"})
    services.buffer_step(contract, "sla", raw={"c-p1_response_min": ["20"]}, revision=0, by=factories.person("ada"))
    sign_in(client, "bing", url(contract, "sla"))
    page = client.get(url(contract, "sla")).content.decode()
    response = client.post(url(contract, "sla"), typed_on(page) | {"act": "save"})
    assert response.status_code == 409
    assert 'value="47"' in response.content.decode()


@pytest.mark.parametrize("typist", ["", "nonsense", "WzEsICIvIl0:1v:xx"])
def test_a_post_that_does_not_say_who_typed_is_not_kept(client, contract, typist):
    lost = client.post(url(contract, "sla"), {"c-p1_response_min": "47", "typist": typist})
    assert lost.status_code == 302
    assert "held_text" not in client.session
