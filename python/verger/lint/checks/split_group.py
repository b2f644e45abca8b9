"""RT209: a crawler that several groups name."""

from collections.abc import Iterator
from functools import lru_cache

from verger._core import parse
from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.names import name_of
from verger.lint.words import quoted
from verger.plain import lines_of, listed


@check("RT209", "note")
def split_group(file: File) -> Iterator[Found]:
    """A crawler, or `*`, that several groups name.

    RFC 9309 section 2.2.1 joins their rules. Older crawlers and libraries read only the first
    group, as with `--target original-1994`, or the last. Of groups for `*`, Yandex allows only one
    (Yandex Webmaster, "Robots.txt parsing errors").

    Why: crawlers that follow RFC 9309 join the groups, and older ones read only one.

    Use instead: one group.
    """
    heads = {number: at for at, group in enumerate(file.groups) for number in group.start_lines}
    for numbers in file.named.values():
        firsts: dict[int, int] = {}
        for number in numbers:
            if number in heads:
                firsts.setdefault(heads[number], number)
        lines = list(firsts.values())
        if len(lines) > 1:
            name = quoted(name_of(file.line(lines[0]).value or ""))
            what = f"{name} has groups at {lines_of(lines)}: {_reading(file, name == '`*`')}"
            if name == "`*`" and file.targets == ("yandex",):
                what += ", and Yandex Webmaster reports an error"
            related = tuple(Related(line, f"{name} again") for line in lines[1:4])
            yield Found(lines[0], what, file.line(lines[0]).value_span, related=related)


def _reading(file: File, is_star: bool) -> str:
    """Return what the targets make of several groups."""
    older = [f"`{target}`" for target in file.targets if not _joins(target, is_star)]
    if len(older) == len(file.targets):
        return "only the first is read"
    others = f", but in {listed(older)} only the first is read" if older else ""
    return f"their rules are joined{others}"


@lru_cache(maxsize=64)
def _joins(dialect: str, is_star: bool) -> bool:
    """Whether a dialect joins the groups of `*`, or of another crawler; found by an example."""
    name = "*" if is_star else "a"
    groups = (f"User-agent: {each}\nDisallow: /{at}\n" for at, each in enumerate((name, "b", name)))
    return not parse("\n".join(groups), dialect=dialect).allowed("/2", "a")
