"""What somebody pasted, read at once: secrets taken out first, each command of a terminal by itself, nothing kept."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from gpucontract.agent.redaction import redact
from gpucontract.measurements.parsers import missing_tools, registry
from gpucontract.measurements.parsers.capture import Capture, Parsed
from gpucontract.measurements.parsers.outcomes import line_around

MOST_COMMANDS = 50
# A prompt that names user and host, or one of a shell that does not before the name of a tool that has a parser.
PROMPT = re.compile(
    r"^(?:\[[0-9:]{5,8}\] ?)?(?:\([\w.-]{1,60}\) ?)?\[?[a-z_][\w.-]{0,60}@[\w.-]{1,100}[: ][^\n#$]{0,200}[#$]"
    r"(?: (?P<command>.*))?$"
    r"|^(?:[\w.-]{0,60}(?: [\w.~/-]{1,60} )?[#$>❯]|[A-Za-z][\w.@-]{0,60}(?: [\w.~/-]{1,60} )?%"
    r"|➜ {1,2}\S{1,60}(?: git:\(\S{1,60}\))?(?: ✗)?) (?P<bare>.{1,2000})$",
    re.MULTILINE,
)
# First lines of these tools that look like a root's prompt with the tool's name behind it.
BANNER = re.compile(r"nccl-tests version|dmidecode [0-9]")
_ENCODINGS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True, slots=True)
class PastedOutput:
    """One output with its tool ("" when nothing tells it) and what its parser made of it."""

    tool: str
    command: str
    text: str
    parsed: Parsed


@dataclass(frozen=True, slots=True)
class Pasted:
    """The pasted text and command without their secrets, notes of what was taken out, and the outputs found."""

    text: str
    command: str
    redacted: tuple[str, ...]
    outputs: tuple[PastedOutput, ...]


def read_pasted(text: str, tool: str = "", command: str = "", exit_status: int | None = None) -> Pasted:
    """Read a pasted text; with a tool or command given it counts as one output, else prompts divide it."""
    clean, notes = redact(text.replace("\r\n", "\n"))
    command, more = redact(command)
    pieces = [(said or command, body) for said, body in _pieces(clean)]
    if not pieces or len(pieces) > MOST_COMMANDS or (tool and len(pieces) > 1):
        pieces = [(command, clean)]
    status = exit_status if len(pieces) == 1 else None
    outputs = tuple(_read(tool, said, body, status) for said, body in pieces)
    return Pasted(clean, command, tuple(dict.fromkeys(notes + more)), outputs)


def decoded(data: bytes) -> str:
    """A file's text: by its byte order mark, else UTF-8, else GB 18030, else UTF-8 with what is broken marked."""
    for mark, encoding in _ENCODINGS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    for encoding in ("utf-8", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")


def _read(tool: str, command: str, text: str, status: int | None) -> PastedOutput:
    # What a text looks like says more than its command: "docker run ... nvidia-smi" starts docker.
    complaint = missing_tools.complaint(text)
    if complaint and not registry.recognise(text.replace(complaint[0], "")):
        error = f"command_not_found: {line_around(text, complaint.start())}"
        return PastedOutput(missing_tools.missing_tool(complaint[0]), command, text, Parsed(error=error))
    told = tool or registry.recognise(text) or registry.tool_of(Capture("", command, ""))
    parsed = registry.read(Capture(told, command, text, exit_status=status))
    return PastedOutput(told, command, text, parsed)


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Each command typed at a prompt with what it printed; a text without prompts is one piece without a command."""
    prompts = [match for match in PROMPT.finditer(text) if _is_prompt(match)]
    before = text[: prompts[0].start()] if prompts else text
    if before.strip() or not prompts:
        yield "", before
    for match, following in zip_longest(prompts, prompts[1:]):
        body = text[match.end() + 1 : following.start() if following else len(text)]
        if body.strip():
            yield (match["command"] or match["bare"] or "").strip(), body


def _is_prompt(match: re.Match[str]) -> bool:
    bare = match["bare"]
    return bare is None or (not BANNER.match(bare) and bool(registry.tool_of(Capture("", bare, ""))))
