"""Who signs in, for which organisation, with which roles and mandate; who was invited, who tried, what changed."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, BaseUserManager
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils.crypto import salted_hmac

from gpucontract.accounts.fields import WordsField, only_words
from gpucontract.accounts.presence import LONGEST_STRENGTH, Presence
from gpucontract.accounts.roles import Role
from gpucontract.canonical import Link, encode
from gpucontract.filing import KINDS, LONGEST_NAME

ROLES = tuple(role.value for role in Role)


class UserManager(BaseUserManager["User"]):
    """Makes users known by their e-mail address, always in lower case."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """A saved user; without a password nobody can sign in by one."""
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    @classmethod
    def normalize_email(cls, email: str | None) -> str:
        """Lower case throughout: Bing@Buyer.example and bing@buyer.example are one person."""
        return (email or "").strip().lower()

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=self.normalize_email(username))


class User(AbstractBaseUser):
    """A person, known by e-mail address; what they may do lies in their memberships."""

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=80, blank=True)
    is_active = models.BooleanField(default=True)
    joined_at = models.DateTimeField(auto_now_add=True)
    asks_factor = models.BooleanField(default=True)
    sign_out_round = models.PositiveIntegerField(default=0)

    # Set by the middleware for the one who makes the request; a program that acts for somebody has none.
    presence = Presence()

    objects: ClassVar[UserManager] = UserManager()
    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(email=Lower("email")), name="user_email_lower_case")]

    def __str__(self) -> str:
        return self.name or self.email

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Django's, over the round too: raising it ends every session of the person."""
        if not self.sign_out_round:
            return str(super()._get_session_auth_hash(secret=secret))  # type: ignore[misc]  # missing in the stubs
        said = f"{self.sign_out_round} {self.password}"
        return salted_hmac("gpucontract.accounts.session", said, secret=secret, algorithm="sha256").hexdigest()


class OrganisationQuerySet(models.QuerySet["Organisation"]):
    def of(self, user: User | AnonymousUser) -> OrganisationQuerySet:
        """The active organisations a person belongs to; none for a stranger."""
        if not user.is_authenticated or not user.is_active:
            return self.none()
        return self.filter(is_active=True, memberships__user=user)

    def visible_to(self, user: User | AnonymousUser) -> OrganisationQuerySet:
        """The person's own organisations; the other side of a contract is read through the contract."""
        return self.of(user)


class Organisation(models.Model):
    """A company; buyer or vendor is said by each contract, not here."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=120)
    uscc = models.CharField(max_length=18, blank=True, default="")
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[models.Manager[Organisation]] = OrganisationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["uscc"], condition=~Q(uscc=""), name="organisation_uscc_unique"),
            models.CheckConstraint(condition=~Q(name=""), name="organisation_has_name"),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """What one person may do for one organisation: a set of roles, never empty."""

    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    organisation = models.ForeignKey(Organisation, models.CASCADE, related_name="memberships")
    roles = WordsField(words=ROLES, max_length=100)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "organisation"], name="membership_once"),
            models.CheckConstraint(condition=~Q(roles="") & only_words("roles", ROLES), name="membership_roles_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} @ {self.organisation}: {', '.join(self.roles)}"


class SignInKind(models.TextChoices):
    SIGNED_IN = "signed_in"
    FAILED = "failed"
    SIGNED_OUT = "signed_out"


class SignInEvent(models.Model):
    """One attempt to sign in, or a sign-out: what was typed, from where."""

    user = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="sign_ins")
    email = models.CharField(max_length=254, blank=True)
    kind = models.CharField(max_length=10, choices=SignInKind.choices)
    at = models.DateTimeField(auto_now_add=True, db_index=True)
    address = models.GenericIPAddressField(null=True, blank=True)
    browser = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=SignInKind.values), name="sign_in_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.kind} {self.email}"


class Invitation(models.Model):
    """A place in an organisation held for whoever owns an e-mail address; the link is known by its hash alone.

    organisation: None until the first person of a vendor accepts; then `place_*` say which company is founded.
    host: the organisation that invites, whose journal tells it.
    """

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    host = models.ForeignKey(Organisation, models.CASCADE, related_name="invitations")
    organisation = models.ForeignKey(Organisation, models.CASCADE, null=True, blank=True, related_name="+")
    place_name = models.CharField(max_length=120)
    place_uscc = models.CharField(max_length=18, blank=True)
    email = models.EmailField()
    roles = WordsField(words=ROLES, max_length=100)
    token_sha256 = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    mailed_at = models.DateTimeField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(email=Lower("email")), name="invitation_email_lower_case"),
            models.CheckConstraint(condition=~Q(roles="") & only_words("roles", ROLES), name="invitation_roles_known"),
            models.CheckConstraint(
                condition=Q(accepted_at=None) | Q(revoked_at=None), name="invitation_used_or_revoked"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} -> {self.place_name}"


class Mandate(models.Model):
    """By what right a person signs for an organisation: as its legal representative, or by a letter of authority."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    organisation = models.ForeignKey(Organisation, models.CASCADE, related_name="mandates")
    user = models.ForeignKey(User, models.PROTECT, related_name="mandates")
    basis = models.CharField(max_length=10)
    granted_by = models.CharField(max_length=80, blank=True)
    valid_until = models.DateField(null=True, blank=True)
    limit = models.DecimalField(max_digits=18, decimal_places=2, null=True, blank=True)
    currency = models.CharField(max_length=3, default="CNY")
    file_name = models.CharField(max_length=LONGEST_NAME, blank=True)
    file_kind = models.CharField(max_length=10, blank=True)
    file_sha256 = models.CharField(max_length=64, blank=True)
    recorded_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-recorded_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(basis="legal") | (Q(basis="letter") & ~Q(granted_by="") & ~Q(file_sha256="")),
                name="mandate_letter_is_there",
            ),
            models.CheckConstraint(condition=Q(limit=None) | Q(limit__gt=0), name="mandate_limit_positive"),
            models.CheckConstraint(condition=Q(file_kind__in=["", *KINDS]), name="mandate_file_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} for {self.organisation}: {self.basis}"

    def facts(self) -> dict[str, Any]:
        """What the journal says of it."""
        return {
            "person": self.user.email, "basis": self.basis, "granted_by": self.granted_by or None,
            "until": self.valid_until, "limit": self.limit, "currency": self.currency,
            "file": self.file_sha256 or None,
        }  # fmt: skip


class OrganisationEvent(models.Model):
    """One link of an organisation's journal: append-only, hashed over everything it says and the link before."""

    organisation = models.ForeignKey(Organisation, models.PROTECT, related_name="events")
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    actor = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    actor_email = models.CharField(max_length=254, blank=True)
    role = models.CharField(max_length=100, blank=True)
    strength = models.CharField(max_length=LONGEST_STRENGTH, blank=True)
    address = models.CharField(max_length=45, blank=True)
    kind = models.CharField(max_length=40)
    body = models.TextField()
    prev_sha256 = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["organisation", "number"]
        constraints = [
            models.UniqueConstraint(fields=["organisation", "number"], name="organisation_event_number_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="organisation_event_number_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.organisation} #{self.number} {self.kind}"

    def canonical(self) -> bytes:
        """The bytes the chain hashes: every column but the two hashes."""
        who = {"actor": self.actor_email, "role": self.role, "strength": self.strength, "address": self.address}
        said = {"at": self.at, "kind": self.kind, "body": self.body}
        return encode({"organisation": str(self.organisation.uuid), "number": self.number, **who, **said})

    def link(self) -> Link:
        """Its place in the chain, as stored."""
        return Link(self.number, self.prev_sha256, self.sha256, self.canonical())
