"""Translations: compile by Babel, without GNU gettext; update and check, which need its xgettext."""

import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "locale/zh_Hans/LC_MESSAGES/django.po"
SOURCES = ("gpucontract", "templates")


def load(path: Path) -> Catalog:
    with path.open("rb") as stream:
        return read_po(stream, locale="zh_Hans")


def compile_catalogue() -> int:
    """Write the .mo beside the .po, replacing it in one step."""
    target = CATALOGUE.with_suffix(".mo")
    partial = target.with_suffix(".mo.new")
    with partial.open("wb") as stream:
        write_mo(stream, load(CATALOGUE))
    partial.replace(target)
    return 0


def extract() -> Catalog:
    """Every message the source uses, by Django's own makemessages in a scratch tree."""
    with tempfile.TemporaryDirectory() as scratch:
        for name in SOURCES:
            (Path(scratch) / name).symlink_to(ROOT / name)
        (Path(scratch) / "locale").mkdir()
        command = [sys.executable, "-m", "django", "makemessages", "-l", "zh_Hans", "--symlinks", "--no-location"]
        subprocess.run(command, cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        extracted = (Path(scratch) / "locale/zh_Hans/LC_MESSAGES/django.po").read_bytes()
    # xgettext leaves room for a second form, which Chinese does not have.
    return read_po(BytesIO(extracted.replace(b'msgstr[1] ""\n', b"")), locale="zh_Hans")


def is_translated(message: Message) -> bool:
    texts = message.string if isinstance(message.string, tuple) else (message.string,)
    return all(texts) and not message.fuzzy


def faults(used: Catalog, known: Catalog) -> list[str]:
    """What is untranslated, unused, fuzzy or has other placeholders than its source."""
    found = []
    for message in used:
        translation = known.get(message.id)
        if message.id and (translation is None or not is_translated(translation)):
            found.append(f"untranslated: {message.id!r}")
    for message in known:
        if message.id and used.get(message.id) is None:
            found.append(f"no longer used: {message.id!r}")
        found += [f"{fault}: {message.id!r}" for fault in message.check()]
    return found


def check() -> int:
    """Exit status 1 and one line a fault when the committed catalogue is not complete."""
    found = faults(extract(), load(CATALOGUE))
    print("\n".join(found) or f"translations: {len(load(CATALOGUE))} messages, all translated")
    return bool(found)


def update() -> int:
    """Bring the committed catalogue to the source's messages, keeping what is translated; list what is left."""
    used, known = extract(), load(CATALOGUE)
    fresh = Catalog(locale="zh_Hans", project="gpucontract", charset="utf-8", fuzzy=False)
    for message in used:
        old = known.get(message.id)
        if message.id:
            fresh.add(message.id, old.string if old else "", flags=message.flags)
    with CATALOGUE.open("wb") as stream:
        write_po(stream, fresh, sort_output=True, width=110, no_location=True)
    compile_catalogue()
    return check()


if __name__ == "__main__":
    verbs = {"compile": compile_catalogue, "check": check, "update": update}
    sys.exit(verbs[sys.argv[1]]())
