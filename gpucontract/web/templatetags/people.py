"""Filters about people: roles, mandates, how somebody was signed in, what an event of an organisation says."""

from collections.abc import Iterable, Mapping

from django import template
from django.conf import settings
from django.template.context import RequestContext
from django.utils.translation import get_language

from gpucontract.accounts.company_sign_in import address_of_provider
from gpucontract.accounts.inviting import founding
from gpucontract.accounts.mandates import BASES
from gpucontract.accounts.models import Organisation
from gpucontract.accounts.roles import ROLES
from gpucontract.accounts.second_factor import METHODS
from gpucontract.contracts.checks.lines import LINES
from gpucontract.contracts.checks.parties import is_uscc
from gpucontract.contracts.models import Contract
from gpucontract.contracts.policies import may_on
from gpucontract.contracts.sections.steps import TERMS
from gpucontract.localise import spoken
from gpucontract.web.views.vendors import place_of, vendor_of
from gpucontract.wording import Text

register = template.Library()

MEANS = {"password": Text("密码", "password"), "oidc": Text("企业单点登录", "company sign-in"), **METHODS}
FACTS = {
    "person": Text("人员", "person"), "email": Text("邮箱", "e-mail"), "place": Text("组织", "organisation"),
    "organisation": Text("组织", "organisation"), "name": Text("名称", "name"), "uscc": Text("代码", "code"),
    "from": Text("原为", "was"), "to": Text("改为", "is now"), "roles": Text("角色", "roles"),
    "invited_by": Text("邀请人", "invited by"), "reason": Text("理由", "reason"), "basis": Text("依据", "basis"),
    "granted_by": Text("授权人", "given by"), "until": Text("有效期至", "until"), "limit": Text("金额上限", "limit"),
    "currency": Text("币种", "currency"), "file": Text("文件 sha256", "file sha256"), "line": Text("项目", "line"),
}  # fmt: skip


def _comma() -> str:
    return ", " if get_language() == "en" else "、"


@register.simple_tag
def company_sign_in() -> dict[str, str]:
    """Where signing in by the company's provider begins and what it is called; empty where there is none."""
    address = address_of_provider()
    return {"address": address, "name": settings.OIDC_NAME} if address else {}


@register.inclusion_tag("contracts/draft/_vendor.html")
def vendor_notice(contract: Contract) -> dict[str, object]:
    """Says that the drafted vendor has no account yet, with the way to invite it, or how its identity is known."""
    place = place_of(contract)
    vendor = vendor_of(place)
    is_missing = bool(place.uscc) and vendor is None
    is_wrong = is_missing and not is_uscc(place.uscc)
    page = {"contract": contract, "place": place, "is_missing": is_missing, "is_wrong": is_wrong}
    return page | _identity(contract, vendor)


@register.inclusion_tag("contracts/_vendor_identity.html")
def vendor_identity(contract: Contract) -> dict[str, object]:
    """Says to the buyer how the vendor's identity was established."""
    return _identity(contract, contract.vendor)


def _identity(contract: Contract, vendor: Organisation | None) -> dict[str, object]:
    """opened: the account was opened by an operator, who is answerable for it; email: the buyer's own invitation."""
    made = founding(vendor) if vendor else None
    is_own = made is not None and made.host_id == contract.buyer_id
    return {
        "founded": vendor if made else None, "email": made.email if made and is_own else "",
        "opened": vendor if vendor and not made else None,
    }  # fmt: skip


@register.filter
def role_names(roles: Iterable[str]) -> str:
    """A role set in words."""
    return _comma().join(spoken(ROLES[role]) for role in roles if role in ROLES)


@register.filter
def basis_name(basis: str) -> str:
    """By what right somebody signs."""
    return spoken(BASES[basis]) if basis in BASES else basis


@register.filter
def strength(means: str) -> str:
    """By which means somebody was signed in: password + code of an authenticator app."""
    return " + ".join(spoken(MEANS[each]) if each in MEANS else each for each in means.split("+"))


@register.filter
def event_facts(body: Mapping[str, object]) -> list[str]:
    """What an event of an organisation says, one fact a line."""
    return [_fact(name, value) for name, value in body.items() if name in FACTS and value not in ("", [])]


def _fact(name: str, value: object) -> str:
    label, colon = spoken(FACTS[name]), ": " if get_language() == "en" else "："
    if isinstance(value, list):
        return f"{label}{colon}{role_names(value) or _comma().join(str(each) for each in value)}"
    if name == "line" and value in LINES:
        value = spoken(LINES[str(value)].info.label)
    if name == "currency" and value in TERMS["currency"].choices:
        value = spoken(TERMS["currency"].choices[value])
    return f"{label}{colon}{basis_name(str(value)) if name == 'basis' else value}"


@register.simple_tag(takes_context=True)
def sees_limits(context: RequestContext, organisation: Organisation) -> bool:
    """Whether the reader may read the limits of an organisation's checks."""
    return may_on(organisation, context["user"], "view_policy")
