"""One contract that has come as far as a test needs: delivered, with a run that has brought its result."""

from dataclasses import dataclass

from django.utils import timezone

from gpucontract.contracts.models import Contract
from gpucontract.measurements import services
from gpucontract.measurements.models import Node, Run
from tests import factories


@dataclass(frozen=True, slots=True)
class Stage:
    """What the pages' addresses are made of."""

    contract: Contract
    node: Node
    run: Run


def measured() -> Stage:
    """The sample, signed, delivered, with the first round ordered."""
    contract = factories.signed_contract()
    eng = factories.person("eng")
    node = services.deliver(contract, by=eng, now=timezone.now())[0]
    run = services.order_runs(contract, round=1, by=eng, now=timezone.now())[0]
    contract.refresh_from_db()
    return Stage(contract, node, run)
