"""Who the vendor is: found by the USCC in the terms, fixed once the vendor has seen a revision."""

from __future__ import annotations

from gpucontract.accounts.models import Organisation, User
from gpucontract.contracts.errors import ContractError
from gpucontract.contracts.journal import record
from gpucontract.contracts.models import Contract
from gpucontract.contracts.snapshot import terms_of
from gpucontract.wording import Text

_UNKNOWN = Text(
    "没有统一社会信用代码为“{uscc}”的组织。请核对乙方代码；乙方须先在本系统开户。",
    "No organisation here has USCC “{uscc}”. Check the vendor's code; the vendor needs an account first.",
)
_SELF = Text(
    "乙方的统一社会信用代码与甲方相同（{uscc}）。请改正乙方代码。",
    "The vendor's USCC equals the buyer's ({uscc}). Correct the vendor's code.",
)
_FIXED = Text(
    "合同 {number} 已发送给{vendor}，不能改为 {uscc}。请撤回后另起一份合同。",
    "Contract {number} was sent to {vendor} and cannot go to {uscc}. Withdraw it and start another.",
)
_OTHER = Text(
    "补充协议只能与原合同 {number} 的乙方（{vendor}）签订，不能改为 {uscc}。与另一家公司请另起合同。",
    "An amendment is between the same two: {vendor} of contract {number}, not {uscc}. Start another contract.",
)


def settle_vendor(contract: Contract, *, by: User) -> Contract:
    """Set the vendor from the drafted USCC; with none drafted the contract stays without. Call with the row locked."""
    uscc = terms_of(contract).get("c/vendor_uscc", "")
    if not uscc or (contract.vendor and contract.vendor.uscc == uscc):
        return contract
    if contract.vendor and contract.revisions.filter(sent_at__isnull=False).exists():
        raise ContractError(_FIXED.fill(number=contract.number, vendor=contract.vendor, uscc=uscc))
    if contract.amends and contract.amends.vendor and contract.amends.vendor.uscc != uscc:
        amended = contract.amends
        raise ContractError(_OTHER.fill(number=amended.number, vendor=amended.vendor, uscc=uscc))
    if uscc == contract.buyer.uscc:
        raise ContractError(_SELF.fill(uscc=uscc))
    vendor = Organisation.objects.filter(uscc=uscc, is_active=True).first()
    if vendor is None:
        raise ContractError(_UNKNOWN.fill(uscc=uscc))
    contract.vendor = vendor
    contract.save(update_fields=["vendor"])
    record(contract, "vendor_named", by=by, body={"vendor": str(vendor.uuid), "uscc": uscc})
    return contract
