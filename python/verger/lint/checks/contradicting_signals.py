"""RT410: content signals that contradict each other."""

from collections.abc import Iterator
from typing import TypeAlias

from verger._core import ContentSignal, Record
from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.names import tokens_of

NAMES = {"search": "search", "ai_input": "ai-input", "ai_train": "ai-train"}


Said: TypeAlias = tuple[bool, int]
"""What a signal says, and in which line."""


@check("RT410", "warning")
def contradicting_signals(file: File) -> Iterator[Found]:
    """Two `Content-Signal` lines that say yes and no to the same use, in one group or in groups
    that are joined.

    verger uses the more restrictive one. RFC 9309 section 2.2.1 joins the groups of one crawler,
    such as two for `*`, of which a program wrote one.

    Why: each crawler follows one of them, and not necessarily the one that is meant.

    Use instead: one line for each group.
    """
    first: dict[tuple[int, str], Said] = {}
    elsewhere: dict[tuple[str, str], Said] = {}
    for record in file.records:
        if not isinstance(record.value, ContentSignal):
            continue
        for attribute, name in NAMES.items():
            said: bool | None = getattr(record.value, attribute)
            if said is None:
                continue
            key = (id(record.group), name)  # several records share a group
            if key not in first:
                first[key] = _first(record, name, said, elsewhere)
            other, line = first[key]
            if other is not said:
                words = ("no", "yes")
                what = f"`{name}={words[said]}` here, and `{name}={words[other]}` in line {line}"
                related = (Related(line, "the other signal"),)
                span = file.line(record.line).value_span
                yield Found(record.line, what, span, related=related)


def _first(record: Record, name: str, said: bool, elsewhere: dict[tuple[str, str], Said]) -> Said:
    """Return what the first signal of a group is compared with: one of a group that is joined to it
    and says the opposite, else itself."""
    own = said, record.line
    tokens = tokens_of(record.group) if record.group else []
    known = [elsewhere.setdefault((token.lower(), name), own) for token in tokens]
    return next((each for each in known if each[0] is not said), own)
