"""An agreed remedy ends for good when its clause shows another result, though the old one may come back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from gpucontract.contracts.body import Body
from gpucontract.contracts.journal import record
from gpucontract.contracts.models import Contract
from gpucontract.contracts.numbering import citations
from gpucontract.contracts.values import same
from gpucontract.verdicts.models import Remedy
from gpucontract.verdicts.remedies import Found, Standing
from gpucontract.verdicts.rent import currency_of


def lapse(contract: Contract, body: Body, found: Mapping[str, Found], now: datetime) -> None:
    """End the remedies that were agreed for another result; those acceptance was given on stay as they are.

    found: what every clause shows now. Call it inside the transaction that holds the contract's row.
    """
    for remedy in Remedy.objects.filter(contract=contract, standing=Standing.AGREED, final_at=None):
        if found.get(remedy.key) == remedy.was_found:
            continue
        Remedy.objects.filter(pk=remedy.pk).update(standing=Standing.LAPSED)
        what, about = remedy.offer.said(currency_of(body)), citations(body).get(remedy.key, same(remedy.key))
        said = {"remedy": remedy.pk, "what": [what.zh, what.en], "about": [about.zh, about.en]}
        record(contract, "remedy_lapsed", by=None, at=now, key=remedy.key, body=said)
