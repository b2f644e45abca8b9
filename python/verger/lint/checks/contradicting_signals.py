"""RT410: content signals that contradict each other."""

from collections.abc import Iterator

from verger._core import ContentSignal
from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File

NAMES = {"search": "search", "ai_input": "ai-input", "ai_train": "ai-train"}


@check("RT410", "warning")
def contradicting_signals(file: File) -> Iterator[Found]:
    """Two `Content-Signal` lines of one group that say yes and no to the same use.

    verger uses the more restrictive one.

    Why: each crawler follows one of them, and not necessarily the one that is meant.

    Use instead: one line for each group.
    """
    first: dict[tuple[int, str], tuple[bool, int]] = {}
    for record in file.records:
        if not isinstance(record.value, ContentSignal):
            continue
        group = id(record.group)  # several records share a group
        for attribute, name in NAMES.items():
            said: bool | None = getattr(record.value, attribute)
            if said is None:
                continue
            other, line = first.setdefault((group, name), (said, record.line))
            if other is not said:
                words = ("no", "yes")
                what = f"`{name}={words[said]}` here, and `{name}={words[other]}` in line {line}"
                related = (Related(line, "the other signal"),)
                span = file.line(record.line).value_span
                yield Found(record.line, what, span, related=related)
