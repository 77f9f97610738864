"""Give someone an account: the first people of a fresh installation come this way, since signing up is closed."""

import getpass
import sys
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from gpucontract.accounts.errors import AccountError
from gpucontract.accounts.services import Place, add_person


class Command(BaseCommand):
    help = (
        "Add a person to an organisation; the password is asked for, or comes by standard input (echo … | manage.py)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--organisation", required=True, help="full legal name")
        parser.add_argument("--uscc", required=True, help="unified social credit code of the organisation")
        parser.add_argument("--roles", required=True, help="drafter,engineer,approver,viewer,confirmer,signer,admin")
        parser.add_argument("--name", default="", help="how the person is called on pages")

    def handle(self, *args: Any, **options: Any) -> None:
        roles = [role.strip() for role in options["roles"].split(",") if role.strip()]
        place = Place(options["organisation"], options["uscc"])
        password = self._password()
        try:
            validate_password(password)
            member = add_person(options["email"], password=password, place=place, roles=roles, name=options["name"])
        except AccountError as refusal:
            raise CommandError(str(refusal)) from refusal
        except ValidationError as refusal:
            raise CommandError(" ".join(refusal.messages)) from refusal
        self.stdout.write(str(member))

    def _password(self) -> str:
        if sys.stdin.isatty():
            return getpass.getpass("Password: ")
        return sys.stdin.readline().rstrip("\n")
