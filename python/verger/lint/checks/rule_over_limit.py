"""RT321: rules beyond a limit of a crawler."""

from collections.abc import Iterator

from verger._core import RobotsTxt
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted
from verger.plain import counted

MOST, LONGEST = 2_048, 1_024
"""How many rules Yandex reads, and the bytes of the longest (Yandex Webmaster, "Robots.txt parsing
errors")."""


@check("RT321", "warning")
def rule_over_limit(file: File) -> Iterator[Found]:
    """A rule that a limit excludes: Yandex reads 2,048 rules of at most 1,024 bytes.

    The limits count if Yandex is a target.

    Why: that crawler does not read the rule.

    Use instead: fewer and shorter rules. `verger minimise` finds those that change no decision.
    """
    for name, robots in file.readings.items():
        yield from _over_limits(name, robots)


def _over_limits(name: str, robots: RobotsTxt) -> Iterator[Found]:
    """Yield each rule that is too long, and the first of those that are too many."""
    many: list[int] = []
    for finding in robots.findings:
        if finding.code != "rule-over-limit":
            continue
        start, stop = robots.lines[finding.line - 1].value_span or (0, 0)
        if stop - start > LONGEST:
            what = f"the pattern has {stop - start:,} bytes, and {quoted(name)} reads {LONGEST:,}"
            yield Found(finding.line, what, (start, stop))
        else:
            many.append(finding.line)
    if many:
        last = f"{quoted(name)} reads {MOST:,} rules, and skips {counted(len(many), 'rule')}"
        yield Found(many[0], f"{last} from here on")
