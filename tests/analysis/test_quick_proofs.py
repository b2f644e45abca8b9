"""The quick proof that two versions of a file say the same: what it proves, the whole one proves.

`VERGER_EVERYTHING=1` takes 6,000 generated files.
"""

import os
import random
from collections import Counter

from lint.promises import generated
from lint.test_alone import dense
from verger import DIALECTS, parse
from verger._core import _says_the_same
from verger.analysis.proof import STEPS_OF_ALL, prove, says_the_same
from verger.analysis.readings import DRAFT, readings_of

FILES = 6_000 if os.environ.get("VERGER_EVERYTHING") == "1" else 60
NEW_LINES = (
    *(b"", b"Disallow: /a", b"Disallow: /", b"Allow: /", b"Disallow:", b"Allow:", b"User-agent: *"),
    *(b"User-agent: GPTBot", b"User-agent: Google-Extended", b"Content-Signal: ai-train=no"),
    b"Sitemap: https://e.com/s.xml",
)


def edited(choice: random.Random, body: bytes) -> bytes:
    """Return a file after one or two edits of lines."""
    lines = body.split(b"\n")
    for _ in range(choice.choice((1, 1, 2))):
        at, other = (choice.randrange(len(lines)) for _ in range(2))
        edits = (
            lambda at=at: lines.insert(at, choice.choice(NEW_LINES)),
            lambda at=at: lines.insert(at, lines[at]),
            lambda at=at: lines.pop(at) if len(lines) > 1 else None,
            lambda at=at, other=other: lines.insert(at, lines.pop(other)),
            lambda at=at: lines.__setitem__(at, lines[at].swapcase()),
            lambda at=at: lines.__setitem__(at, lines[at] + b"*"),
        )
        choice.choice(edits)()
    return b"\n".join(lines)


def test_what_is_proved_quickly_is_proved() -> None:
    """For policy tokens and records, too; and what is refuted is not proved."""
    count = Counter[str]()
    for seed in range(FILES):
        choice = random.Random(seed)
        old = dense(choice) if seed % 3 else generated(choice)
        new = edited(choice, old)
        has_usage = any(DRAFT.encode() in body.lower() for body in (old, new))
        for name, dialect in DIALECTS.items():
            every = list(readings_of(dialect).values())[: None if has_usage else 1]
            found = _says_the_same(old, new, every, STEPS_OF_ALL)
            count[str(found and "unknown")] += 1
            if not found:
                before, after = (parse(body, dialect=dialect) for body in (old, new))
                is_proved = prove(before, after, kin=True).keeps_everything
                assert (found == []) is is_proved, (seed, name, old, new)

    assert {"[]", "None", "unknown"} <= set(count), count


def test_an_empty_rule_of_a_policy_token_is_not_dropped_quickly() -> None:
    """An empty `Disallow` allows a use, where nothing else says something about it."""
    old = b"User-agent: Applebot-Extended\nDisallow: /a/b\nDisallow:\nDisallow: /a/b*\n"
    new = b"User-agent: Applebot-Extended\nDisallow: /a/b\nDisallow: /a/b*\n"

    assert not says_the_same(old, new)


def quickly(old: bytes, new: bytes, name: str) -> list[int] | None:
    """Return what is proved quickly in a dialect."""
    return _says_the_same(
        old, new, [next(iter(readings_of(DIALECTS[name]).values()))], STEPS_OF_ALL
    )


def test_groups_that_are_joined_need_no_long_proof() -> None:
    """Records of crawlers are compared, not the places of their groups."""
    old = b"User-agent: a\nDisallow: /\n\nUser-agent: a\nDisallow: /\n\n"
    new = b"User-agent: a\nDisallow: /\n\n"
    slow, slower = (b"User-agent: b\nCrawl-delay: %d\nDisallow: /c\n" % each for each in (2, 3))

    assert [] == quickly(old + slow, new + slow, "rfc9309")
    assert [0] == quickly(old + slow, new + slower, "rfc9309")
    assert [0] == quickly(old + b"Crawl-delay: 2\n" + slow, new + slow, "rfc9309")


def test_names_like_those_in_the_file_are_asked_about() -> None:
    """In 1994, `Wget` also named `Wget-x`, and `Wget 1.6` did not."""
    old, new = b"User-agent: Wget 1.6\nDisallow: /\n", b"User-agent: Wget\nDisallow: /\n"

    assert quickly(old, new, "original-1994") is None
    assert [] == quickly(old, new, "rfc9309")
