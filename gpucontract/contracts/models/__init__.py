"""All tables of contracts, listed here because Django looks here."""

from gpucontract.contracts.models.acceptance import AcceptanceTerms, DeliveryBatch, DeliveryDocument
from gpucontract.contracts.models.agreeing import Attachment, Comment, Decision
from gpucontract.contracts.models.commercial import CommercialTerms, Commitment, OtherFee, PrecedingPaper
from gpucontract.contracts.models.contract import Contract, NotApplicableTerm
from gpucontract.contracts.models.draft_files import DraftFile
from gpucontract.contracts.models.exit import ExitTerms
from gpucontract.contracts.models.interconnect import InterconnectTerms
from gpucontract.contracts.models.journal import ChainHead, Event, StepBuffer
from gpucontract.contracts.models.mail import Mail
from gpucontract.contracts.models.nodes import NodeGroup, WorkloadTerms
from gpucontract.contracts.models.origin import DraftOrigin, OwnTemplate
from gpucontract.contracts.models.papers import ClausePaper
from gpucontract.contracts.models.parties import PartiesTerms
from gpucontract.contracts.models.policy import OrganisationPolicy
from gpucontract.contracts.models.revision import CheckRecord, CheckWaiver, Confirmation, Revision, RevisionSection
from gpucontract.contracts.models.security import SecurityTerms
from gpucontract.contracts.models.sheet import SpecSheet
from gpucontract.contracts.models.sla import CreditTier, FaultCriterion, OnsiteSpare, SlaTerms
from gpucontract.contracts.models.software import FrameworkVersion, SoftwareTerms
from gpucontract.contracts.models.storage import LocalStorageTerms, SharedMount, StorageTerms, StorageTestProfile

__all__ = [
    "AcceptanceTerms",
    "Attachment",
    "ChainHead",
    "CheckRecord",
    "CheckWaiver",
    "ClausePaper",
    "Comment",
    "CommercialTerms",
    "Commitment",
    "Confirmation",
    "Contract",
    "CreditTier",
    "Decision",
    "DeliveryBatch",
    "DeliveryDocument",
    "DraftFile",
    "DraftOrigin",
    "Event",
    "ExitTerms",
    "FaultCriterion",
    "FrameworkVersion",
    "InterconnectTerms",
    "LocalStorageTerms",
    "Mail",
    "NodeGroup",
    "NotApplicableTerm",
    "OnsiteSpare",
    "OrganisationPolicy",
    "OtherFee",
    "OwnTemplate",
    "PartiesTerms",
    "PrecedingPaper",
    "Revision",
    "RevisionSection",
    "SecurityTerms",
    "SharedMount",
    "SlaTerms",
    "SoftwareTerms",
    "SpecSheet",
    "StepBuffer",
    "StorageTerms",
    "StorageTestProfile",
    "WorkloadTerms",
]
