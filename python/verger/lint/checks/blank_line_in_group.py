"""RT213: a blank line that ends a group for some crawlers, and not for others."""

from collections.abc import Iterator

from verger._core import Group
from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File

NAMES = ("Yandex", "YandexBot")


@check("RT213", "warning", fix="display")
def blank_line_in_group(file: File) -> Iterator[Found]:
    """Rules for Yandex after a blank line inside their group: Yandex does not read them.

    Yandex's help says that a group ends at an empty line. RFC 9309 has no such rule, and other
    crawlers read on.

    Why: for Yandex, a group ends at a blank line, and the rules after it are not read.

    Use instead: no blank line between a `User-agent` line and its last rule.
    """
    yandex = file.readings.get("yandex")
    if yandex is None:
        return
    read = {rule.line for group in yandex.groups for rule in group.rules}
    for group in _groups_for_yandex(file):
        lost = [rule for rule in group.rules if rule.line not in read and rule.pattern]
        above = [line for line in group.start_lines if line < (lost[0].line if lost else 0)]
        if not lost or not above:
            continue
        blank = next(
            (line for line in file.lines[above[-1] : lost[0].line] if line.kind == "blank"), None
        )
        if blank is not None:
            count = "the rule" if len(lost) == 1 else f"the {len(lost)} rules"
            related = (Related(lost[0].line, "not read by Yandex"),)
            what = f"a blank line ends the group for Yandex, which does not read {count} below"
            yield Found(blank.number, what, related=related)


def _groups_for_yandex(file: File) -> list[Group]:
    """Return the groups that Yandex's main crawler follows, in the order of the file."""
    bound = {group.start_lines for name in NAMES for group in file.robots.agent(name).groups}
    return [group for group in file.groups if group.start_lines in bound]
