"""What goes wrong in the measuring room, as a sentence a person can act on."""

from gpucontract.contracts.errors import ContractError


class MeasurementError(ContractError):
    """A refusal about nodes, agents or runs; whoever shows a contract's refusals shows these too."""
