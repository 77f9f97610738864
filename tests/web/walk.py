"""Every act of the site as one table, and what a walk over it needs: people of one role each, a contract per state.

Who may act follows from roles, when from the moves and the open states that the services themselves ask; the table
names them and gives what is posted, so that in the right hands something happens.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from gpucontract.accounts.models import Membership, Organisation, User
from gpucontract.accounts.roles import Role, Side
from gpucontract.contracts import interchange, naming, services
from gpucontract.contracts.commenting import SPEAKERS
from gpucontract.contracts.lifecycle import IN_FORCE, MEASURABLE, MOVES, NEGOTIABLE, State
from gpucontract.contracts.models import Contract
from gpucontract.contracts.rights import EDITABLE
from gpucontract.contracts.terms import Terms
from gpucontract.measurements.models import Run
from gpucontract.measurements.states import RunState
from gpucontract.verdicts.models import Verdict, Waiver
from tests import factories
from tests.books import SPEC
from tests.web import stage
from tests.web.opened import checked, opened

NEVER: tuple[State, ...] = ()
ALWAYS = tuple(State)
SENT = tuple(state for state in State if state is not State.DRAFT)
SPOKEN_OF = tuple(state for state in SENT if state is not State.SUPERSEDED)


@dataclass(frozen=True, slots=True)
class Act:
    """What somebody may post. right: of roles.ACTIONS, by side where they differ. states: where it does something.

    page: the right that opens the address, where the act itself takes another; without it 403, else a refusal in words.
    """

    right: str | Mapping[Side, str]
    states: tuple[State, ...]
    given: Mapping[str, Any] | Callable[..., Mapping[str, Any]] = field(default_factory=dict)
    page: str = ""

    def right_of(self, side: Side) -> str:
        """The right it takes on one side."""
        return self.right if isinstance(self.right, str) else self.right[side]

    def page_of(self, side: Side) -> str:
        """The right that opens the page it is done on."""
        return self.page or self.right_of(side)


def move(name: str, given: Any = None, *, states: tuple[State, ...] | None = None) -> Act:
    """An act that is a move of the lifecycle; states: fewer than the move has, where the world lacks a fact there."""
    wanted = MOVES[name]
    return Act(wanted.action, wanted.from_states if states is None else states, given or {})


def draft(_own: Organisation) -> str:
    return interchange.to_text(interchange.dump(Terms({}), "x"))


def organisation(own: Organisation) -> int:
    return own.pk


def on_page(**given: Any) -> Callable[[Contract], Mapping[str, Any]]:
    """Posted from a page that shows the newest revision; a key's _ stands for the -g1/ of its name."""
    named = {name.replace("_", "-g1/", 1): value for name, value in given.items()}
    return lambda contract: marks(contract) | named


def marks(contract: Contract) -> Mapping[str, str]:
    shown = contract.revisions.last()
    return opened(shown) if shown else {}


def whole(contract: Contract) -> Mapping[str, str]:
    """Every line confirmed and submitted."""
    shown = contract.revisions.last()
    lines = shown.body().clauses if shown else ()
    return {"act": "submit"} | marks(contract) | {f"answer-{each.key}": "confirm" for each in lines}


def numbered(contract: Contract) -> Mapping[str, str]:
    """A reason, and the number typed."""
    return {"reason": "x", "typed": contract.number}


def finding(contract: Contract) -> str:
    """What the page on a remedy for g1/ram showed."""
    verdict = Verdict.objects.filter(contract=contract, key="g1/ram").first()
    return verdict.found.mark if verdict else ""


def soon(_contract: Contract) -> str:
    return str(timezone.localdate() + timedelta(days=30))


def file(_contract: Contract) -> SimpleUploadedFile:
    return SimpleUploadedFile("licence.pdf", b"%PDF-1.7 a paper")


def sheet(_contract: Contract) -> SimpleUploadedFile:
    return SimpleUploadedFile("a.xlsx", SPEC)


def line(contract: Contract) -> str:
    """A line as the page that confirms many shows it: its key and the hash that was seen."""
    shown = contract.revisions.last()
    return f"g1/ram|{shown.body().clause('g1/ram').sha256}" if shown else ""


# By the name of the URL; what follows a space tells two acts at one address apart.
ACTS: Mapping[str, Act] = {
    "contract-draft-step": Act("draft", EDITABLE, {"act": "add"}),
    "contract-draft-step attach": Act("draft", EDITABLE, {"act": "attach", "file": file}),
    "contract-draft-autosave": Act("draft", EDITABLE, {"c-title": "x"}),
    "contract-spec-sheet": Act("draft", EDITABLE, {"file": sheet}),
    # The vendor of the sample is here already, so nobody is to be called in.
    "contract-vendor": Act("draft", NEVER, {"email": "x@vendor.example"}),
    "contract-save-template": Act("draft", ALWAYS, {"name": "x", "sections": ["nodes"]}),
    "contract-draft-waive": Act("waive", NEVER, {"check": "C-SLA-01", "code": "c", "reason": "x"}),
    "contract-draft-ready": Act("draft", EDITABLE),
    # Once answered, the counter waits for a decision first.
    "contract-draft-send": move("send", checked, states=(State.DRAFT,)),
    "contract-reopen": move("reopen"),
    "contract-withdraw": move("withdraw", {"reason": "x"}),
    "contract-extend": move("extend", {"until_day": soon}),
    "contract-four-eyes": Act("send", NEGOTIABLE, {"on": "on"}),
    "contract-amend": Act("draft", IN_FORCE),
    "contract-answers": Act("answer", (State.WITH_VENDOR,), on_page(answer_ram="confirm")),
    "contract-answers submit": move("submit", whole),
    "contract-answers-list": Act("answer", (State.WITH_VENDOR,), {"line": line}),
    "contract-reject": move("reject", {"reason": "x"}),
    "contract-decide": Act("draft", (State.ANSWERED,), on_page(decision_ram="declined", text_ram="x")),
    "contract-decide accept": Act("agree", (State.ANSWERED,), on_page(decision_ram="accepted"), page="draft"),
    "contract-comment-shared": Act(SPEAKERS, SPOKEN_OF, {"shared_text": "x"}),
    "contract-comment-internal": Act("view", SPOKEN_OF, {"internal_text": "x"}),
    "contract-name-signer": Act("answer", naming.OPEN_STATES, {"email": "x@vendor.example"}),
    # Nothing is signed without a second factor.
    "contract-sign": move("sign", {"typed_name": "x", "is_read": "on"}, states=NEVER),
    "contract-appendix-state": Act("download_appendix", SENT),
    "contract-paper": Act("hand_in", IN_FORCE, {"key": "c/licence", "file": file}),
    "paper-decide": Act("decide_papers", IN_FORCE, {"decision": "confirmed"}),
    "contract-deliver": move("deliver", {"on": "2026-01-05", "received_by": "x", "is_handed_over": "on"}),
    # Where the buyer's engineer recorded the delivery, nothing waits to be confirmed.
    "contract-handover": Act("confirm_delivery", NEVER, {"on": "2026-01-05"}),
    # What is breached there blocks it; tests/web/test_accepting.py accepts.
    "contract-accept": move("accept", {"is_meant": "on", "seen": "x"}, states=NEVER),
    "contract-terminate": move("terminate", numbered),
    "contract-order": Act("order_runs", MEASURABLE, {"jobs": ["inventory"]}),
    # No machine is suspected of anything here.
    "contract-retest": Act("order_runs", NEVER, {"node": "g1-001"}),
    "contract-waive": Act("waive", IN_FORCE, {"key": "g1/ram", "reason": "x"}),
    # Nobody accepted anything here; tests/verdicts/test_remedying.py tells what acceptance keeps.
    "contract-waiver-withdraw": Act("waive", IN_FORCE, {"key": "g1/gpu_count"}),
    "node-enrol": Act("enrol_agent", IN_FORCE, {"url": "http://10.0.0.9:9723", "secret": "a-secret-long-enough"}),
    "node-replacement": Act("declare_replacement", MEASURABLE, {"names": "1650100", "reason": "x"}),
    "replacement-decide": Act("approve_node", MEASURABLE, {"agree": ""}),
    "contract-remedy": Act(
        "remedy",
        (State.ACCEPTING,),
        {"kind": "cut", "basis": "pct", "amount": "5", "from_on": soon, "reason": "x", "seen": finding},
    ),
    # The buyer offered it: the vendor answers, the buyer takes it back; of each side nobody has the other's right.
    "remedy-decide": Act({Side.BUYER: "hand_in", Side.VENDOR: "remedy"}, (State.ACCEPTING,), {"agree": ""}, "remedy"),
    "remedy-withdraw": Act({Side.BUYER: "remedy", Side.VENDOR: "order_runs"}, (State.ACCEPTING,), page="remedy"),
    "run-retry": Act("order_runs", MEASURABLE),
    # What was ordered may be given up at any time.
    "run-cancel": Act("order_runs", ALWAYS),
}

# Acts on the buyer's organisation and on what belongs to it; whoever is not of it finds nothing.
COMPANY_ACTS: Mapping[str, Act] = {
    "organisation-invite": Act("manage_members", ALWAYS, {"email": "new@buyer.example", "roles": ["viewer"]}),
    "organisation-policy": Act("set_policy", ALWAYS, {"claim_days": "61"}),
    "member-detail": Act("manage_members", ALWAYS, {"roles": ["drafter"]}),
    "member-remove": Act("manage_members", ALWAYS),
    "member-hand-over": Act("manage_members", ALWAYS),
    "member-mandate": Act("manage_members", ALWAYS, {"basis": "legal"}),
    "mandate-revoke": Act("manage_members", ALWAYS),
    "invitation-revoke": Act("manage_members", ALWAYS),
    "invitation-again": Act("manage_members", ALWAYS),
    "own-template": Act("draft", ALWAYS, {"name": "another"}),
    "own-template-delete": Act("draft", ALWAYS, {"confirm": ""}),
}
# Acts for whichever organisation one may draft in.
DRAFTERS_ACTS: Mapping[str, Act] = {
    "contract-new": Act("draft", ALWAYS, {"title": "x", "buyer": organisation}),
    "contract-import": Act(
        "draft", ALWAYS, {"text": draft, "name": "x.json", "title": "x", "confirm": "", "buyer": organisation}
    ),
}
# What one does to one's own account or upload, by no role.
OWN_ACTS = {"set-language", "invitation", "account-factor", "sign-out-everywhere", "spec-sheet-drop"}
ADMINS_PAGES = {"organisation-journal", "organisation-journal-csv", "organisation-journal-json"}


@dataclass(frozen=True, slots=True)
class World:
    """Contracts at the turns of a negotiation and after it, and the rows that hang on the last."""

    contracts: Mapping[str, Contract]
    things: Mapping[str, Any]

    def standing(self, state: State, name: str = "") -> Contract:
        """The contract that stands for a state, moved there; the early ones are in theirs by themselves."""
        contract = self.contracts[name or PLACES.get(state, "sent")]
        Contract.objects.filter(pk=contract.pk).update(state=state)
        return contract


PLACES = {State.DRAFT: "unsent", State.ANSWERED: "answered", State.AGREED: "agreed",
          State.SIGNED: "signed",
          **dict.fromkeys((*MEASURABLE, State.ENDED, State.TERMINATED, State.SUPERSEDED), "measured")}  # fmt: skip


def made() -> World:
    """The whole world, through the services a person would use."""
    for name in factories.PEOPLE:
        factories.person(name)
    scene = stage.measured()
    signed = factories.signed_contract()
    for each in (scene.contract, signed):
        failing_and_waived(each)
    Run.objects.filter(pk=scene.run.pk).update(state=RunState.FAILED)
    things = {
        "node": scene.node.uuid, "replacement": stage.replacement_of(scene.node).uuid,
        "paper": stage.paper_of(scene.contract).uuid, "remedy": stage.remedy_of(scene.contract).uuid, "run-retry": scene.run.uuid,
        "run-cancel": scene.contract.runs.open().order_by("pk").first().uuid, **company_things(scene),
    }  # fmt: skip
    contracts = {"unsent": factories.drafted_contract(), "sent": factories.sent_contract(), "answered": answered(),
                 "agreed": factories.agreed_contract(), "signed": signed, "measured": scene.contract}  # fmt: skip
    return World(contracts, things)


def company_things(scene: stage.Stage) -> dict[str, Any]:
    """What the addresses of COMPANY_ACTS are made of."""
    organisation, wen = scene.contract.buyer, factories.person("wen").memberships.get()
    Membership.objects.filter(pk=wen.pk).update(roles="approver,viewer")
    member = {"uuid": organisation.uuid, "member": wen.pk}
    template, invitation = {"uuid": scene.template.uuid}, {"uuid": stage.invitation().uuid}
    return {
        "organisation": {"uuid": organisation.uuid}, "member": member, "own": template, "invitation": invitation,
        "mandate": {"uuid": organisation.mandates.first().uuid},
    }  # fmt: skip


def answered() -> Contract:
    """The sample with one line countered and every other confirmed."""
    contract, vera = factories.sent_contract(), factories.person("vera")
    revision = factories.latest(contract)
    given = {clause.key: services.Given("confirm") for clause in revision.body().clauses}
    services.answer_clauses(revision, answers=given | {"g1/ram": services.Given("counter", "缺货", "1536")}, by=vera)
    return services.submit_answers(revision, by=vera)


def failing_and_waived(contract: Contract) -> None:
    """Two breached clauses, one of them waived, without having measured anything."""
    ada, revision = factories.person("ada"), factories.latest(contract)
    for key in ("g1/ram", "g1/gpu_count"):
        Verdict.objects.create(contract=contract, key=key, revision=revision, state="breached", attribution="provider",
                               zh="违约", en="breached", rules_version=1)  # fmt: skip
    Waiver.objects.create(contract=contract, key="g1/gpu_count", reason="x", by=ada)


def crowd() -> Iterator[tuple[Side, Role, User]]:
    """Somebody with one role alone for every role of either side."""
    for side, of in ((Side.BUYER, "ada"), (Side.VENDOR, "sun")):
        for role in Role:
            user = User.objects.create_user(f"{role}@{side}.example", name=f"{side} {role}")
            Membership.objects.create(user=user, organisation=factories.organisation_of(of), roles=(role,))
            yield side, role, user
