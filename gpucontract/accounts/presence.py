"""How a person is here: by which means they proved who they are, and from which address."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_STRENGTH = 60


@dataclass(frozen=True, slots=True)
class Presence:
    """strength: the means in the order they were given, password+totp; "" where a program acts."""

    strength: str = ""
    address: str = ""
