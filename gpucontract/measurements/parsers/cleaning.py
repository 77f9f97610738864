"""What terminals, launchers and log collectors add to an output, taken off without touching the body of a line."""

from __future__ import annotations

import itertools
import re

ESCAPES = re.compile(r"\x1b\[[0-?]{0,40}[ -/]{0,4}[@-~]|\x1b\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\)|\x1b[@-_]")

# Open MPI's --tag-output; its version 5 puts an @ into the tag and a blank after the colon.
_CLOCK = r"(?:[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}[0-9]{1,2} [0-9:]{8} [0-9]{4})?"
TAGS = re.compile(
    rf"^{_CLOCK}(?:\[[^\]@\n]{{1,80}}\]<std(?:out|err)>:|\[[^\]\n]{{1,80}}\]<std(?:out|err)>: ?|<std(?:out|err)>:)",
    re.MULTILINE,
)

# The time a collector of logs writes before each line (kubectl logs --timestamps, a container's log file, the journal
# of a service); the kernel's own lines have another form.
_DAY, _HOUR = "2[0-9]{3}-[0-9]{2}-[0-9]{2}", "[0-9]{2}:[0-9]{2}:[0-9]{2}"
TIMES = tuple(
    re.compile(form, re.MULTILINE | re.ASCII)
    for form in (
        rf"^{_DAY}T{_HOUR}\.[0-9]{{3,9}}(?:Z|[+-][0-9]{{2}}:[0-9]{{2}})(?: std(?:out|err) [FP])?(?: |$)",
        rf"^(?:[A-Z][a-z]{{2}} [ 0-9][0-9] {_HOUR}|{_DAY}T{_HOUR}\S{{0,16}})"
        r" \S{1,80} [\w.@-]{1,60}\[[0-9]{1,8}\]:(?: |$)",
    )
)

# A prefix of these forms may also be a tool's own text: it is one only when most lines carry it.
PREFIXES = tuple(
    re.compile(form, re.MULTILINE | re.ASCII)
    for form in (
        r"^\[[0-9]{1,5}\](?: |$)",
        r"^\[(?:default|rank)[0-9]{1,5}\]:",
        r"^\[pod/[^\]\n]{1,200}\] ",
        r"^ {0,4}[0-9]{1,5}:(?: |$)",
        r"^[A-Za-z][\w.-]{0,63}:(?: |$)",
        r"^[A-Za-z][\w.-]{0,63} +\| ",
        r"^\([A-Za-z][\w.:-]{0,80} pid=[0-9]{1,8}(?:, ip=[0-9a-f.:]{3,40})?\)(?: |$)",
    )
)
_SAMPLE_LINES = 40
_MOST = 0.8


def cleaned(text: str) -> str:
    """The text without byte order mark, carriage returns, terminal escapes and launcher prefixes."""
    text = text.replace("\ufeff", "")
    if "\r" in text:
        text = text.replace("\r", "") if "\n" in text else text.replace("\r", "\n")
    if "\x1b" in text:
        text = ESCAPES.sub("", text)
    for time in TIMES:
        if _opens_most_lines(time, text):
            text = time.sub("", text)
    if "<std" in text:
        text = TAGS.sub("", text)
    for prefix in PREFIXES:
        if _is_on_most_lines(prefix, text):
            return prefix.sub("", text)
    return text


def _is_on_most_lines(prefix: re.Pattern[str], text: str) -> bool:
    """True when the form opens most lines and the same prefixes come back: ranks or hosts, not the keys of a list."""
    if not _opens_most_lines(prefix, text):
        return False
    found = prefix.findall(text)
    lines = sum(1 for line in text.splitlines() if line.strip())
    return len(found) >= _MOST * lines and 2 * len(set(found)) <= len(found)


def _opens_most_lines(prefix: re.Pattern[str], text: str) -> bool:
    start = list(itertools.islice(re.finditer(r"^.*\S.*$", text, re.MULTILINE), _SAMPLE_LINES))
    return len(start) >= 3 and sum(bool(prefix.match(line[0])) for line in start) >= _MOST * len(start)
