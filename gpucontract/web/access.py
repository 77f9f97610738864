"""The only place in web that turns an address into an object: strangers get 404, members without the right 403."""

from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from gpucontract.accounts.members import administers
from gpucontract.accounts.models import Invitation, Mandate, Membership, Organisation, User
from gpucontract.accounts.roles import Side
from gpucontract.contracts.creating import must_draft_for
from gpucontract.contracts.errors import NotAllowed
from gpucontract.contracts.models import Attachment, ClausePaper, Contract, DraftFile, OwnTemplate, Revision, SpecSheet
from gpucontract.contracts.policies import may_on
from gpucontract.contracts.rights import must_be_editable
from gpucontract.measurements.models import Node, Replacement, Run
from gpucontract.verdicts.models import Remedy

Person = User | AnonymousUser


def contract_for(user: Person, uuid: UUID, action: str) -> Contract:
    """The contract, when the person may do this action of roles.ACTIONS on it."""
    contract = get_object_or_404(Contract.objects.visible_to(user).select_related("buyer", "vendor"), uuid=uuid)
    if not contract.may(user, action):
        raise PermissionDenied
    return contract


def seen_for(user: Person, uuid: UUID) -> Contract:
    """The contract for whoever may see it; the service called next asks for the right itself."""
    return get_object_or_404(Contract.objects.visible_to(user), uuid=uuid)


def draft_for(user: Person, uuid: UUID) -> Contract:
    """The contract for somebody who may draft it, while its terms may be changed. Raises ContractError when not."""
    contract = contract_for(user, uuid, "draft")
    must_be_editable(contract)
    return contract


def own_template_for(user: Person, uuid: UUID) -> OwnTemplate:
    """A template of one of the person's organisations, for somebody who may draft there."""
    templates = OwnTemplate.objects.visible_to(user).select_related("organisation", "created_by")
    template = get_object_or_404(templates, uuid=uuid)
    try:
        must_draft_for(template.organisation, user)
    except NotAllowed:
        raise PermissionDenied from None
    return template


def spec_sheet_for(user: Person, uuid: UUID) -> SpecSheet:
    """A spec sheet for the person who uploaded it, while the draft may be changed. Raises ContractError when not."""
    sheets = SpecSheet.objects.filter(contract__in=Contract.objects.visible_to(user), uploaded_by=user.pk)
    sheet = get_object_or_404(sheets.select_related("contract"), uuid=uuid)
    draft_for(user, sheet.contract.uuid)
    return sheet


def offer_for(user: Person, uuid: UUID, action: str) -> Revision:
    """The newest revision the vendor was shown; 404 before one was sent."""
    contract = contract_for(user, uuid, action)
    revision = contract.revisions.sent().order_by("-number").first()
    if revision is None:
        raise Http404
    return revision


def answering_for(user: Person, uuid: UUID) -> Revision:
    """The offer for somebody on the vendor's side; the buyer reads answers on the contract's own page."""
    revision = offer_for(user, uuid, "view")
    if revision.contract.side_of(user) is not Side.VENDOR:
        raise PermissionDenied
    return revision


def revision_for(user: Person, uuid: UUID, number: int, action: str) -> Revision:
    """One revision of a contract; the vendor finds only those that were sent."""
    contract = contract_for(user, uuid, action)
    return get_object_or_404(
        Revision.objects.visible_to(user).select_related("contract"), contract=contract, number=number
    )


def run_for(user: Person, uuid: UUID, action: str) -> Run:
    """A run, reached through the contract it was ordered for."""
    runs = Run.objects.visible_to(user).select_related("contract__buyer", "contract__vendor", "lead", "revision")
    run = get_object_or_404(runs, uuid=uuid)
    if not run.contract.may(user, action):
        raise PermissionDenied
    return run


def draft_file_for(user: Person, uuid: UUID, file: UUID, action: str) -> DraftFile:
    """A file laid beside a contract; what was not sent yet only for those who may see the draft itself."""
    contract = contract_for(user, uuid, action)
    found = get_object_or_404(
        DraftFile.objects.visible_to(user).select_related("contract"), contract=contract, uuid=file
    )
    if not (contract.may(user, "view_checks") or found.revisions.sent().exists()):
        raise PermissionDenied
    return found


def answer_file_for(user: Person, uuid: UUID, file: UUID) -> Attachment:
    """A file the vendor laid beside an answer; the buyer finds it once the answer is submitted."""
    contract = contract_for(user, uuid, "view")
    return get_object_or_404(Attachment.objects.visible_to(user), revision__contract=contract, uuid=file)


def node_for(user: Person, uuid: UUID, action: str) -> Node:
    """A slot, reached through the contract it belongs to."""
    nodes = Node.objects.visible_to(user).select_related("group__contract__buyer", "group__contract__vendor")
    node = get_object_or_404(nodes, uuid=uuid)
    if not node.group.contract.may(user, action):
        raise PermissionDenied
    return node


def replacement_for(user: Person, uuid: UUID, action: str) -> Replacement:
    """A declared replacement, reached through its slot's contract."""
    known = Replacement.objects.visible_to(user).select_related("node__group__contract__buyer")
    replacement = get_object_or_404(known.select_related("node__group__contract__vendor"), uuid=uuid)
    if not replacement.node.group.contract.may(user, action):
        raise PermissionDenied
    return replacement


def remedy_for(user: Person, uuid: UUID, action: str) -> Remedy:
    """A remedy, reached through its contract."""
    remedies = Remedy.objects.visible_to(user).select_related("contract__buyer", "contract__vendor")
    remedy = get_object_or_404(remedies, uuid=uuid)
    if not remedy.contract.may(user, action):
        raise PermissionDenied
    return remedy


def paper_for(user: Person, uuid: UUID, action: str) -> ClausePaper:
    """A paper, reached through the contract it was handed in for."""
    papers = ClausePaper.objects.visible_to(user).select_related("contract__buyer", "contract__vendor")
    paper = get_object_or_404(papers, uuid=uuid)
    if not paper.contract.may(user, action):
        raise PermissionDenied
    return paper


def organisations_of(user: Person) -> QuerySet[Organisation]:
    """The person's own organisations."""
    return Organisation.objects.visible_to(user).order_by("name")


def organisation_for(user: Person, uuid: UUID, *, manage: bool = False) -> Organisation:
    """One of the person's organisations; manage: only for its admins."""
    organisation = get_object_or_404(organisations_of(user), uuid=uuid)
    if manage and not administers(user, organisation):
        raise PermissionDenied
    return organisation


def policy_for(user: Person, uuid: UUID) -> Organisation:
    """One of the person's organisations, when they may read the limits of its checks."""
    organisation = organisation_for(user, uuid)
    if not may_on(organisation, user, "view_policy"):
        raise PermissionDenied
    return organisation


def member_for(user: Person, uuid: UUID, member: int) -> Membership:
    """A member of an organisation one administers."""
    organisation = organisation_for(user, uuid, manage=True)
    return get_object_or_404(
        Membership.objects.select_related("user", "organisation"), pk=member, organisation=organisation
    )


def mandate_for(user: Person, uuid: UUID, *, manage: bool = False) -> Mandate:
    """A mandate of one of the person's organisations."""
    mandates = Mandate.objects.filter(organisation__in=organisations_of(user)).select_related("organisation", "user")
    mandate = get_object_or_404(mandates, uuid=uuid)
    organisation_for(user, mandate.organisation.uuid, manage=manage)
    return mandate


def invitation_for(user: Person, uuid: UUID) -> Invitation:
    """An invitation that one's organisation made: for its admins, and for whoever made it."""
    invitations = Invitation.objects.filter(host__in=organisations_of(user)).select_related("host", "organisation")
    invitation = get_object_or_404(invitations, uuid=uuid)
    if invitation.created_by_id != user.pk:
        organisation_for(user, invitation.host.uuid, manage=True)
    return invitation
