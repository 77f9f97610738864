"""What a page that was opened this moment says of itself when it is posted; a post without it binds nobody."""

from gpucontract.contracts.eyes import last_change
from gpucontract.contracts.journal import newest_number


def opened(revision):
    """The marks of a page that shows a revision: the vendor's answers, the buyer's decisions."""
    return {"seen": revision.sha256, "shown": str(newest_number(revision.contract))}


def checked(contract):
    """The mark of the last page of drafting."""
    return {"seen": str(last_change(contract))}
