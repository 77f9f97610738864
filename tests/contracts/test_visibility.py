"""Who sees which contract and which revision: the buyer always, the vendor what was sent, strangers nothing."""

import pytest
from django.contrib.auth.models import AnonymousUser

from gpucontract.accounts.models import Membership, Organisation
from gpucontract.contracts.models import Contract, Revision
from gpucontract.contracts.services import freeze_revision, reopen, withdraw, write_terms
from tests import factories

pytestmark = pytest.mark.django_db
BUYERS, VENDORS, STRANGERS = ("bing", "ada", "eng", "wen"), ("vera", "sun"), ("mallory", "zoe")
EVERYBODY = (*BUYERS, *VENDORS, *STRANGERS)

STAGES = {
    "draft": (factories.drafted_contract, BUYERS),
    "sent": (factories.sent_contract, BUYERS + VENDORS),
    "agreed": (factories.agreed_contract, BUYERS + VENDORS),
    "signed": (factories.signed_contract, BUYERS + VENDORS),
}


def seeing(contract):
    return {name for name in EVERYBODY if Contract.objects.visible_to(factories.person(name)).filter(pk=contract.pk)}


@pytest.mark.parametrize(("make", "who"), STAGES.values(), ids=STAGES)
def test_a_contract_is_seen_by_exactly(make, who):
    contract = make()
    assert seeing(contract) == set(who)
    sides = {name: contract.side_of(factories.person(name)) for name in EVERYBODY}
    assert {name for name, side in sides.items() if side} == set(who)
    assert all(contract.may(factories.person(name), "view") == (name in who) for name in EVERYBODY)


def test_a_named_vendor_sees_nothing_before_it_is_sent(vera):
    contract = factories.drafted_contract()
    Contract.objects.filter(pk=contract.pk).update(vendor=factories.organisation_of("vera"))
    contract.refresh_from_db()
    assert seeing(contract) == set(BUYERS) and contract.standing_of(vera) == (None, ())


def test_the_vendor_sees_sent_revisions_only_and_goes_on_seeing_them(bing, ada, vera, mallory):
    contract = factories.sent_contract()
    reopen(contract, by=ada)
    write_terms(contract, values={"g1": {"node_count": 3}}, by=bing)
    freeze_revision(contract, by=bing)
    numbers = {user.email: [r.number for r in Revision.objects.visible_to(user)] for user in (bing, vera, mallory)}
    assert list(numbers.values()) == [[1, 2], [1], []]
    withdraw(contract, by=ada)
    assert [revision.number for revision in Revision.objects.visible_to(vera)] == [1]


def nobody(user):
    return not Contract.objects.visible_to(user) and not Revision.objects.visible_to(user)


def test_nobody_sees_anything_without_a_membership_that_counts(bing):
    contract = factories.sent_contract()
    assert nobody(AnonymousUser()) and contract.standing_of(AnonymousUser()) == (None, ())
    bing.is_active = False
    assert nobody(bing) and contract.side_of(bing) is None
    bing.is_active = True
    Organisation.objects.filter(pk=contract.buyer_id).update(is_active=False)
    assert nobody(bing) and contract.side_of(bing) is None
    Organisation.objects.filter(pk=contract.buyer_id).update(is_active=True)
    bing.memberships.all().delete()
    assert nobody(bing) and contract.side_of(bing) is None


def test_who_belongs_to_both_sides_is_the_buyer_and_never_answers_to_himself(ada):
    contract = factories.sent_contract()
    Membership.objects.create(user=ada, organisation=contract.vendor, roles=("signer", "confirmer"))
    assert contract.side_of(ada) == "buyer" and not contract.may(ada, "answer")
    assert Contract.objects.visible_to(ada).count() == 1 and Revision.objects.visible_to(ada).count() == 1


def test_roles_of_another_organisation_do_not_count_here(ada):
    contract = factories.sent_contract()
    Membership.objects.filter(user=ada).update(roles=("viewer",))
    other = factories.organisation_of("zoe")
    Membership.objects.create(user=ada, organisation=other, roles=("approver",))
    assert contract.may(ada, "view") and not contract.may(ada, "send")


def test_a_misspelt_action_is_an_error_and_not_a_quiet_no(ada):
    with pytest.raises(KeyError):
        factories.empty_contract().may(ada, "viwe")


def test_seeing_costs_a_fixed_number_of_queries(vera, django_assert_num_queries):
    for _ in range(3):
        factories.sent_contract()
    with django_assert_num_queries(1):
        assert len(Contract.objects.visible_to(vera)) == 3
