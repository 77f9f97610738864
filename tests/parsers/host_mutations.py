"""What happens to an output between the tool and us: cut, doubled, prefixed, re-encoded, lines lost or let in."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

Mutation = Callable[[str, Random], str]

NOISE = (
    "",
    "   ",
    "WARNING: this is only a warning",
    "node-07:31337:31999 [3] NCCL INFO Channel 05/0 : 3[3] -> 4[4]",
    "Warning: Permanently added '10.9.8.7' (ED25519) to the list of known hosts.",
    "------------------------------",
    "slurmstepd: error: something happened 987654321 times",
    "/etc/profile.d/x.sh: line 3: ulimit: open files: cannot modify limit",
    "{",
    "}",
    "765432",
)
PREFIXES = ("[1,0]<stdout>:", "[0] ", "node1: ", "[default0]: ")


def cut(text: str, random: Random) -> str:
    """Only the beginning is there."""
    return text[: random.randrange(len(text) + 1)]


def let_in_noise(text: str, random: Random) -> str:
    """Lines of other programs stand between."""
    lines = text.split("\n")
    for _ in range(random.randint(1, 4)):
        lines.insert(random.randrange(len(lines) + 1), random.choice(NOISE))
    return "\n".join(lines)


def lose_lines(text: str, random: Random) -> str:
    """Some lines are missing."""
    return "\n".join(line for line in text.split("\n") if random.random() > 0.1)


def lose_tabs(text: str, random: Random) -> str:
    """A copy from a terminal: tabs are blanks, or gone."""
    return text.replace("\t", random.choice((" ", "        ", "")))


def colour(text: str, random: Random) -> str:
    """Terminal escapes around words."""
    return re.sub(
        r"(?m)^(\s*)(\S+)",
        lambda found: f"{found[1]}\x1b[4m{found[2]}\x1b[0m" if random.random() < 0.3 else found[0],
        text,
    )


def carriage_returns(text: str, random: Random) -> str:
    """Lines end as on Windows."""
    return text.replace("\n", "\r\n")


def byte_order_mark(text: str, random: Random) -> str:
    """An editor marked the encoding."""
    return "\ufeff" + text


def prefix(text: str, random: Random) -> str:
    """A launcher names the rank or host on every line."""
    mark = random.choice(PREFIXES)
    return "".join(mark + line for line in text.splitlines(keepends=True))


def double(text: str, random: Random) -> str:
    """Two outputs in one file."""
    return text + text


def decimal_comma(text: str, random: Random) -> str:
    """Another locale's numbers."""
    return re.sub(r"(?<=[0-9])\.(?=[0-9])", ",", text)


def swap_letters(text: str, random: Random) -> str:
    """A few characters are garbled."""
    letters = list(text)
    for _ in range(random.randint(1, 5)):
        letters[random.randrange(len(letters))] = random.choice("x?:{}[]\n \t%,.-é中")
    return "".join(letters)


# These leave the readings as they were, or leave them out; after the others a smaller count may be the truth.
FAITHFUL: tuple[Mutation, ...] = (
    let_in_noise, lose_tabs, colour, carriage_returns, byte_order_mark, prefix, double, decimal_comma,
)  # fmt: skip
LOSSY: tuple[Mutation, ...] = (cut, lose_lines, swap_letters)
