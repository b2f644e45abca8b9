"""RT315: a `#` right after a pattern, which begins a comment."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT315", "warning")
def fragment_in_pattern(file: File) -> Iterator[Found]:
    """A rule with `#` inside its value, such as `/#/account` or `/page#section`.

    The pattern ends before it (RFC 9309 section 2.2.3): the first example disallows the whole site.

    Why: `#` begins a comment, and crawlers never request the part of a URL after `#`.

    Use instead: the path that crawlers request; `%23` if a path contains `#`.
    """
    for rule in file.rules:
        comment = file.line(rule.line).comment
        if not comment or not rule.pattern or file.body[rule.span[1] : rule.span[1] + 1] != b"#":
            continue
        rest = comment[1:].split(" ")[0].split("\t")[0]
        if rest and (rest.startswith(("/", "!")) or (comment[1:] == rest and rest[0].islower())):
            meant = quoted(rule.pattern + "#" + rest)
            what = f"crawlers read only {quoted(rule.pattern)} from {meant}: `#` begins a comment"
            stop = rule.span[1] + 1 + len(rest.encode("utf-8", "surrogateescape"))
            yield Found(rule.line, what, (rule.span[0], stop))
