"""Which table holds which terms: once per contract, per node group, per mount."""

from __future__ import annotations

from django.db import models

from gpucontract.contracts.models import (
    AcceptanceTerms,
    CommercialTerms,
    Commitment,
    Contract,
    CreditTier,
    DeliveryBatch,
    DeliveryDocument,
    ExitTerms,
    FaultCriterion,
    FrameworkVersion,
    InterconnectTerms,
    LocalStorageTerms,
    NodeGroup,
    OnsiteSpare,
    OtherFee,
    PartiesTerms,
    PrecedingPaper,
    SecurityTerms,
    SharedMount,
    SlaTerms,
    SoftwareTerms,
    StorageTerms,
    StorageTestProfile,
    WorkloadTerms,
)
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.contracts.sections.term import Kind, Row

ONE_PER_CONTRACT: tuple[type[models.Model], ...] = (
    PartiesTerms,
    WorkloadTerms,
    StorageTerms,
    SoftwareTerms,
    SecurityTerms,
    SlaTerms,
    AcceptanceTerms,
    CommercialTerms,
    ExitTerms,
)
ONE_PER_GROUP: tuple[type[models.Model], ...] = (InterconnectTerms, LocalStorageTerms)
ROW_OF: dict[type[models.Model], Row] = {
    **dict.fromkeys(ONE_PER_CONTRACT, Row.CONTRACT),
    **dict.fromkeys((NodeGroup, *ONE_PER_GROUP), Row.GROUP),
    SharedMount: Row.MOUNT,
}

# Child rows: the term, its table, the name of the parent column there, the letter of its codes.
CHILD_TABLES: dict[str, tuple[type[models.Model], str, str]] = {
    "io_test_profile": (StorageTestProfile, "mount", "p"),
    "delivery_documents": (DeliveryDocument, "contract", "d"),
    "delivery_batches": (DeliveryBatch, "contract", "b"),
    "credit_tiers": (CreditTier, "contract", "t"),
    "onsite_spares": (OnsiteSpare, "contract", "s"),
    "hw_fault_definition": (FaultCriterion, "contract", "h"),
    "min_commit": (Commitment, "contract", "k"),
    "other_fees": (OtherFee, "contract", "o"),
    "appendix_precedence": (PrecedingPaper, "contract", "a"),
    "framework_versions": (FrameworkVersion, "contract", "f"),
}
MOUNT_GROUPS = "groups"
Holder = Contract | NodeGroup | SharedMount


def terms_in(table: type[models.Model]) -> tuple[str, ...]:
    """The ids of the terms that are columns of a table."""
    row = ROW_OF[table]
    return tuple(column.name for column in table._meta.fields if column.name in TERMS and TERMS[column.name].row is row)


TABLE_OF: dict[str, type[models.Model]] = {name: table for table in ROW_OF for name in terms_in(table)}
UNPLACED = {
    name
    for name, info in TERMS.items()
    if name not in TABLE_OF and info.kind is not Kind.ROWS and name != MOUNT_GROUPS and not info.is_computed
}


def row_object(contract: Contract, code: str) -> Holder | None:
    """The row a code names: the contract itself for c, a node group, a mount; None when there is none."""
    if code == "c":
        return contract
    if code.startswith("g"):
        return contract.node_groups.filter(code=code).first()
    return contract.shared_mounts.filter(code=code).first()
