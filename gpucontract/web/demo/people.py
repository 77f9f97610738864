"""The demonstration's people: every role of both sides, and two strangers who must see nothing."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from gpucontract.accounts.mandates import Letter, record_legal, record_letter
from gpucontract.accounts.models import User
from gpucontract.accounts.second_factor import Proof, code_of, prove_by_code, set_up_app
from gpucontract.accounts.services import Place, add_person, ask_factor_at_sign_in
from gpucontract.filing import file_away
from gpucontract.web.demo.sample import BUYER, VENDOR

PASSWORD = "gpucontract-demo"
# The second factors of those who sign; give one to an authenticator app, or have the demo print the code of the moment.
FACTORS = {"ada": "GPUCONTRACTDEMOADAAAAAAAAAAAAAAA", "sun": "GPUCONTRACTDEMOSUNAAAAAAAAAAAAAA"}
LETTER = "授权委托书（演示）：兹授权陈爱达代表本公司签署算力租赁合同。\n"
OTHER_VENDOR = ("武汉远川数据服务有限公司", "91420100MADEMC0300")
OTHER_BUYER = ("武汉云梦机器人有限公司", "91420100MADEMD041B")


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who can sign in: e-mail, display name, organisation (name, USCC) and roles."""

    email: str
    name: str
    organisation: tuple[str, str]
    roles: tuple[str, ...]
    does: str


PEOPLE: dict[str, Person] = {
    "bing": Person("bing@buyer.example", "李冰", BUYER, ("drafter",), "甲方起草人 drafter"),
    "ada": Person("ada@buyer.example", "陈爱达", BUYER, ("approver", "admin"), "甲方审批人 approver"),
    "eng": Person("eng@buyer.example", "周工", BUYER, ("engineer",), "甲方工程师 engineer"),
    "wen": Person("wen@buyer.example", "文静", BUYER, ("viewer",), "甲方查看人 viewer"),
    "vera": Person("vera@vendor.example", "魏然", VENDOR, ("confirmer",), "乙方确认人 confirmer"),
    "sun": Person("sun@vendor.example", "孙立", VENDOR, ("signer", "admin"), "乙方签署人 signer"),
    "mallory": Person(
        "mallory@other-vendor.example",
        "马罗",
        OTHER_VENDOR,
        ("admin", "confirmer", "signer"),
        "另一家乙方 another vendor",
    ),
    "zoe": Person("zoe@other-buyer.example", "佐伊", OTHER_BUYER, ("admin", "approver"), "另一家甲方 another buyer"),
}


@transaction.atomic
def load_people() -> dict[str, User]:
    """Create organisations, people and memberships that are not there yet; by short name."""
    return {short: _load(short, person) for short, person in PEOPLE.items()}


def proof_of(short: str, user: User, now: datetime) -> Proof:
    """The second factor of one who signs, proven by the code their app shows now."""
    return prove_by_code(user, code_of(FACTORS[short], now), now=now)


def _load(short: str, person: Person) -> User:
    place = Place(*person.organisation)
    user = add_person(person.email, password=PASSWORD, place=place, roles=person.roles, name=person.name).user
    if short in FACTORS:
        set_up_app(user, FACTORS[short])
        ask_factor_at_sign_in(user, wanted=False)
    if not user.mandates.exists():
        _mandate(short, user)
    return user


def _mandate(short: str, user: User) -> None:
    """The buyer's approver signs by letter of authority, the vendor's signer as its legal representative."""
    membership = user.memberships.get()
    if short == "ada":
        until = timezone.localdate() + timedelta(days=365)
        filed = file_away("授权委托书.txt", LETTER.encode())
        record_letter(membership, Letter("赵明（法定代表人）", filed, until), by=user)
    elif short == "sun":
        record_legal(membership, by=user)
