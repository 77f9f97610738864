"""Harm to a chain is found and named: altered, removed, reordered, cut."""

import pytest

from gpucontract.canonical import FIRST_LINK, Fault, Harm, Link, chain_faults, check_chain, link

LENGTH = 7


def chain(length=LENGTH, word="said"):
    made, head = [], FIRST_LINK
    for number in range(1, length + 1):
        body = f"{number} {word}".encode()
        made.append(Link(number, head, link(head, body), body))
        head = made[-1].sha256
    return made


def altered(number):
    stored = chain()
    each = stored[number - 1]
    stored[number - 1] = Link(each.number, each.prev_sha256, each.sha256, each.body + b"!")
    return stored


def rewritten(number):
    """Altered together with its own hash, but not those after it."""
    stored = chain()
    each = stored[number - 1]
    body = each.body + b"!"
    stored[number - 1] = Link(number, each.prev_sha256, link(each.prev_sha256, body), body)
    return stored


def swapped(first, second):
    """Two rows' numbers exchanged; the number is part of what each hashes."""
    stored = chain()
    one, two = stored[first - 1], stored[second - 1]
    stored[first - 1] = Link(first, two.prev_sha256, two.sha256, two.body.replace(b"%d " % second, b"%d " % first))
    stored[second - 1] = Link(second, one.prev_sha256, one.sha256, one.body.replace(b"%d " % first, b"%d " % second))
    return stored


def without(*numbers):
    return [each for each in chain() if each.number not in numbers]


HARMS = {
    "nothing": (chain(), []),
    "nothing in an empty one": ([], []),
    "one altered": (altered(4), [Fault(Harm.ALTERED, 4, 4)]),
    "the first altered": (altered(1), [Fault(Harm.ALTERED, 1, 1)]),
    "the last altered": (altered(LENGTH), [Fault(Harm.ALTERED, LENGTH, LENGTH)]),
    "one rewritten with its hash": (rewritten(4), [Fault(Harm.ALTERED, 4, 4)]),
    "one removed": (without(4), [Fault(Harm.REMOVED, 4, 4)]),
    "several removed": (without(2, 3, 4), [Fault(Harm.REMOVED, 2, 4)]),
    "the first removed": (without(1), [Fault(Harm.REMOVED, 1, 1)]),
    "two apart removed": (without(2, 5), [Fault(Harm.REMOVED, 2, 2), Fault(Harm.REMOVED, 5, 5)]),
    "neighbours swapped": (swapped(3, 4), [Fault(Harm.REORDERED, 3, 3), Fault(Harm.REORDERED, 4, 4)]),
    "two apart swapped": (swapped(2, 5), [Fault(Harm.REORDERED, 2, 2), Fault(Harm.REORDERED, 5, 5)]),
}


@pytest.mark.parametrize(("stored", "faults"), HARMS.values(), ids=HARMS)
def test_harm_is_found_and_named(stored, faults):
    assert list(chain_faults(stored)) == faults
    assert check_chain(stored).is_whole == (not faults)


def test_a_cut_tail_shows_against_a_head_kept_elsewhere():
    kept = [(5, chain()[4].sha256), (LENGTH, chain()[-1].sha256)]
    assert chain_faults(chain()[:4], kept) == (Fault(Harm.CUT, 5, LENGTH),)
    assert chain_faults([], kept) == (Fault(Harm.CUT, 1, LENGTH),)
    assert chain_faults(chain(), kept) == ()


def test_a_chain_written_anew_shows_against_a_head_kept_elsewhere():
    kept = [(3, chain()[2].sha256)]
    assert chain_faults(chain(word="lied"), kept) == (Fault(Harm.ALTERED, 1, 3),)


def test_a_harm_already_named_is_not_named_twice_by_its_heads():
    kept = [(each.number, each.sha256) for each in chain()]
    assert chain_faults(rewritten(4), kept) == (Fault(Harm.ALTERED, 4, 4),)
