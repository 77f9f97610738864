"""One contract that has come as far as a test needs: delivered, with a run that has brought its result."""

from dataclasses import dataclass
from decimal import Decimal

from django.utils import timezone

from gpucontract.accounts.inviting import GOOD_FOR, token_hash
from gpucontract.accounts.models import Invitation, Mandate
from gpucontract.contracts import services as contracts
from gpucontract.contracts.handing_in import hand_in
from gpucontract.contracts.models import ClausePaper, Contract, OwnTemplate
from gpucontract.filing import file_away
from gpucontract.measurements import services
from gpucontract.measurements.models import Node, Replacement, Run
from gpucontract.measurements.replacing import declare_replacement
from gpucontract.verdicts.models import Remedy, Verdict
from gpucontract.verdicts.remedies import Basis, Kind, Offer
from gpucontract.verdicts.remedying import propose_remedy
from tests import factories


@dataclass(frozen=True, slots=True)
class Stage:
    """What the pages' addresses are made of."""

    contract: Contract
    node: Node
    run: Run
    template: OwnTemplate


def measured() -> Stage:
    """The sample, signed, delivered, with the first round ordered."""
    contract = factories.signed_contract()
    eng = factories.person("eng")
    node = services.deliver(contract, by=eng, now=timezone.now())[0]
    run = services.order_runs(contract, round=1, by=eng, now=timezone.now())[0]
    contract.refresh_from_db()
    template = contracts.save_template(contract, name="训练", sections=["nodes"], by=factories.person("bing"))
    return Stage(contract, node, run, template)


TOKEN = "an-open-invitation"


def invitation() -> Invitation:
    """An invitation of the buyer's admin that is still open."""
    host, adam, now = factories.organisation_of("adam"), factories.person("adam"), timezone.now()
    made, _ = Invitation.objects.get_or_create(
        token_sha256=token_hash(TOKEN),
        defaults={
            "host": host, "organisation": host, "place_name": host.name, "email": "new@buyer.example", "roles": "viewer",
            "created_by": adam, "created_at": now, "expires_at": now + GOOD_FOR,
        },
    )  # fmt: skip
    return made


def letter_of(name: str) -> Mandate:
    """Somebody's mandate by a letter whose file is kept."""
    user, filed = factories.person(name), file_away("letter.pdf", b"%PDF-1.7")
    made, _ = Mandate.objects.get_or_create(
        user=user, organisation=factories.organisation_of(name), basis="letter", granted_by="Zhao",
        file_name=filed.name, file_kind=filed.kind, file_sha256=filed.sha256,
        defaults={"recorded_by": user, "recorded_at": timezone.now()},
    )  # fmt: skip
    return made


def replacement_of(node: Node) -> Replacement:
    """A replacement the vendor declared and nobody has answered."""
    open_one = node.replacements.filter(is_agreed=None).first()
    vera = factories.person("vera")
    return open_one or declare_replacement(node, names=["1650099"], reason="x", by=vera, now=timezone.now())


def remedy_of(contract: Contract, key: str = "g1/gpu_count") -> Remedy:
    """A remedy the buyer offered and nobody has answered, for a clause that is said to be breached."""
    open_one = contract.remedies.filter(standing="open").first()
    said = {
        "revision": contract.revisions.last(),
        "state": "breached",
        "attribution": "provider",
        "zh": "违约",
        "en": "x",
    }
    Verdict.objects.get_or_create(contract=contract, key=key, defaults={**said, "rules_version": 1})
    offer = Offer(key, Kind.PRICE_CUT, timezone.localdate(), Decimal(5), Basis.PERCENT)
    return open_one or propose_remedy(contract, offer, reason="x", by=factories.person("ada"), now=timezone.now())


def paper_of(contract: Contract) -> ClausePaper:
    """A paper the vendor handed in for a document clause."""
    first = contract.papers.first()
    given = {"name": "licence.pdf", "data": b"%PDF-1.7", "valid_on": None}
    return first or hand_in(contract, "c/licence", by=factories.person("vera"), **given)
