"""Adding people by hand: the first accounts of an installation."""

import io

import pytest
from django.core.management import CommandError, call_command

from gpucontract.accounts.errors import AccountError
from gpucontract.accounts.models import Membership
from gpucontract.accounts.services import Place, add_person

PLACE = Place("武汉星野智能科技有限公司", "91420100MADEMA019B")


@pytest.fixture
def typed(monkeypatch):
    def say(text):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))

    return say


def run(**options):
    call_command(
        "add_person", "Li@Buyer.example", organisation=PLACE.name, uscc=PLACE.uscc, stdout=io.StringIO(), **options
    )


def test_it_makes_the_account_the_organisation_and_the_roles(db, typed):
    typed("a long enough secret\n")
    run(roles="drafter, approver", name="李")
    membership = Membership.objects.get(user__email="li@buyer.example")
    assert membership.roles == ("drafter", "approver")
    assert membership.organisation.uscc == PLACE.uscc
    assert membership.user.check_password("a long enough secret")


def test_a_second_time_changes_the_roles_and_keeps_the_password(db):
    add_person("li@buyer.example", password="first-secret-word", place=PLACE, roles=["drafter"])
    member = add_person("LI@buyer.example", password="other-secret-word", place=PLACE, roles=["viewer"])
    assert Membership.objects.get().roles == ("viewer",)
    assert member.user.check_password("first-secret-word")


@pytest.mark.parametrize(
    ("change", "said"),
    (
        pytest.param({"email": "li"}, "“li” is not an e-mail address", id="no address"),
        pytest.param({"place": Place("某公司", "91420100MADEMA0190")}, "91420100MADEMA0190", id="wrong check digit"),
        pytest.param({"roles": ["boss"]}, "no role boss", id="unknown role"),
        pytest.param({"roles": []}, "at least one role", id="no role"),
    ),
)
def test_it_refuses_with_a_sentence(db, change, said):
    given = {"email": "li@buyer.example", "password": "x" * 12, "place": PLACE, "roles": ["drafter"]} | change
    with pytest.raises(AccountError, match=said):
        add_person(given.pop("email"), **given)
    assert not Membership.objects.exists()


def test_a_short_password_is_refused(db, typed):
    typed("short\n")
    with pytest.raises(CommandError):
        run(roles="drafter")
    assert not Membership.objects.exists()
