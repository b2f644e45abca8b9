"""RT218: a record without rules, which dialects from before 2019 discard."""

from collections.abc import Iterator

from verger._core import RobotsTxt, parse
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted
from verger.plain import listed


@check("RT218", "error")
def void_record(file: File) -> Iterator[Found]:
    """A record without a `Disallow`, with a target of 1994; one without any rule, with a target of
    1996.

    A record needs at least one `Disallow` (A Standard for Robot Exclusion, 30 June 1994), or one
    rule (Koster, A Method for Robots Exclusion, draft 1, November 1996, section 3.2). In both, a
    blank line ends a record, also one above its rules.

    Why: crawlers that read files as in those years skip the record, and follow the one for `*`.

    Use instead: an empty `Disallow:` in the record, and no blank line above it.
    """
    found: dict[int, list[str]] = {}
    for name, reading in file.readings.items():
        for number in _void(reading):
            found.setdefault(number, []).append(name)
    for number, names in sorted(found.items()):
        line = file.line(number)
        skip = "skips" if len(names) == 1 else "skip"
        what = f"{listed(names, quoted)} {skip} the record for {quoted(line.value or '')}"
        yield Found(number, f"{what}: no line of it is a rule there", line.value_span)


def _void(reading: RobotsTxt) -> Iterator[int]:
    """Yield the first lines of the records that a dialect discards."""
    if parse(b"User-agent: *\n", dialect=reading.dialect).groups:
        return
    read = {number for group in reading.groups for number in group.start_lines}
    starts = [line.number for line in reading.lines if line.kind == "start-group"]
    void = set(starts) - read
    yield from (number for number in starts if number in void and number - 1 not in void)
