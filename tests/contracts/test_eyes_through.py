"""Four eyes through a whole deal: who drafts neither sends nor signs, on and off midway, and where one person is all."""

import pytest
from django.utils import timezone

from gpucontract.accounts.models import Mandate, Membership
from gpucontract.accounts.second_factor import Method, Proof
from gpucontract.contracts import services
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.eyes import drafters
from gpucontract.contracts.lifecycle import LifecycleError, State
from gpucontract.documents.services import sign_off
from tests import factories

pytestmark = pytest.mark.django_db


def sign(contract, who):
    person, revision, now = factories.person(who), factories.latest(contract), timezone.now()
    return sign_off(revision, by=person, typed_name=person.name, sha256=revision.sha256,
                    proof=Proof(person.pk, Method.TOTP, now), now=now)  # fmt: skip


def approve(who):
    """Make somebody of the buyer an approver with a mandate, beside what they are."""
    person = factories.person(who)
    membership = Membership.objects.get(user=person)
    membership.roles = sorted({*membership.roles, "approver"})
    membership.save()
    Mandate.objects.get_or_create(
        user=person, organisation=membership.organisation, basis="legal",
        defaults={"recorded_by": person, "recorded_at": timezone.now()},
    )  # fmt: skip
    return person


def answered(contract):
    contract.refresh_from_db()
    revision = factories.latest(contract)
    given = {clause.key: services.Given("confirm") for clause in revision.body().clauses}
    services.answer_clauses(revision, answers=given, by=factories.person("vera"))
    services.submit_answers(revision, by=factories.person("vera"))
    contract.refresh_from_db()


def test_one_drafts_another_sends_and_a_third_or_the_sender_signs(ada, sun):
    contract = factories.drafted_contract()
    bing, eng = approve("bing"), approve("eng")
    services.set_four_eyes(contract, True, by=ada)
    with pytest.raises(LifecycleError, match="four eyes"):
        services.send_revision(contract, by=bing)
    services.send_revision(contract, by=ada)
    answered(contract)
    with pytest.raises(ContractError, match="four eyes"):
        sign(contract, "bing")
    assert not contract.revisions.filter(sign_offs__user=bing).exists()
    assert sign(contract, "eng").state == State.AGREED
    assert sign(contract, "sun").state == State.SIGNED
    assert contract.revisions.get().sign_offs.get(side="buyer").user == eng


def test_accepting_the_vendors_value_makes_nobody_its_drafter(ada):
    contract = factories.drafted_contract()
    services.set_four_eyes(contract, True, by=ada)
    services.send_revision(contract, by=ada)
    contract.refresh_from_db()
    revision, vera = factories.latest(contract), factories.person("vera")
    given = {clause.key: services.Given("confirm") for clause in revision.body().clauses}
    services.answer_clauses(revision, answers=given | {"g1/ram": services.Given("counter", "缺货", "1536")}, by=vera)
    services.submit_answers(revision, by=vera)
    contract.refresh_from_db()
    services.decide(revision, "g1/ram", decision="accepted", by=ada)
    assert ada.pk not in drafters(contract)
    assert services.send_revision(contract, by=ada).number == 2


def test_switched_on_after_sending_it_looks_back_at_what_was_sent(ada):
    contract = factories.drafted_contract()
    bing = approve("bing")
    services.send_revision(contract, by=bing)
    answered(contract)
    services.set_four_eyes(contract, True, by=ada)
    with pytest.raises(ContractError, match="four eyes"):
        sign(contract, "bing")
    assert sign(contract, "ada").state == State.AGREED


def test_switched_off_midway_by_who_changed_nothing_it_holds_no_more(ada):
    contract = factories.drafted_contract()
    bing = approve("bing")
    services.set_four_eyes(contract, True, by=ada)
    with pytest.raises(ContractError, match="four eyes"):
        services.set_four_eyes(contract, False, by=bing)
    services.set_four_eyes(contract, False, by=ada)
    assert services.send_revision(contract, by=bing).sent_by == bing
    kinds = list(contract.events.filter(kind="four_eyes_set").values_list("actor__email", "body"))
    assert kinds == [(ada.email, '{"on":true}'), (ada.email, '{"on":false}')]


def test_where_one_person_is_the_whole_organisation_the_rule_is_refused_with_what_to_do(ada):
    Membership.objects.filter(organisation=factories.organisation_of("ada")).exclude(user=ada).delete()
    Membership.objects.filter(user=ada).update(roles="drafter,approver")
    contract = services.create_contract(factories.organisation_of("ada"), by=ada, title="一人")
    with pytest.raises(ContractError, match="nobody else"):
        services.set_four_eyes(contract, True, by=ada)
    assert not contract.four_eyes


def test_who_is_barred_is_told_so_where_the_others_sign(client, ada):
    contract = factories.drafted_contract()
    bing = approve("bing")
    services.set_four_eyes(contract, True, by=ada)
    services.send_revision(contract, by=ada)
    answered(contract)
    client.force_login(bing)
    page = client.get(f"/contracts/{contract.uuid}/sign/").content.decode()
    assert "四眼" in page and 'name="typed_name"' not in page
    client.force_login(ada)
    assert "四眼" not in client.get(f"/contracts/{contract.uuid}/sign/").content.decode()
