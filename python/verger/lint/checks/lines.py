"""Lines that crawlers do not read as their authors meant, whatever their fields are.

RT107, RT108, RT111, RT113, RT115 to RT117, RT119 and RT120.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator

from verger.analysis import Edit
from verger.analysis.layout import separator_span
from verger.analysis.templates import LINE_END
from verger.lint.check import check
from verger.lint.checks.fields import is_prose
from verger.lint.comments import codes_named_by, silencers_in
from verger.lint.diagnostic import Fix, Found, Related, Span, quoted
from verger.lint.file import File
from verger.lint.invisible import MARK
from verger.lint.spelling import SPELLINGS, nearest
from verger.untrusted_text import counted, listed


@check("RT107", "warning")
def long_line(file: File) -> Iterator[Found]:
    """A line of more than 16,663 bytes, which Google's own parser cuts, and others skip.

    Why: crawlers cut such a line or skip it, so its rule changes or is lost.

    Use instead: shorter patterns; comments on lines of their own.
    """
    readings = (file.robots, *file.readings.values())
    found = (finding for robots in readings for finding in robots.findings)
    for number in sorted({finding.line for finding in found if finding.code == "long-line"}):
        size = len(file.text(file.line(number).span).rstrip(b"\r\n"))
        yield Found(number, f"the line has {size:,} bytes, more than crawlers read")


CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


@check("RT108", "warning")
def control_character(file: File) -> Iterator[Found]:
    """A control character in a line, such as NUL, which some crawlers treat as the line's end.

    Why: it is invisible and changes what the line means.

    Use instead: the line without it.
    """
    for line in file.lines if CONTROL.search(file.body) else ():
        if match := CONTROL.search(file.text(line.span)):
            start = line.span[0] + match.start()
            what = f"the line contains the control character 0x{match[0][0]:02X}"
            yield Found(line.number, what, (start, start + 1))


FIELD = re.compile(
    rb"(?:\A|(?P<blank>\s))(?i:user-?agent|disallow|allow|crawl-delay|sitemap)[ \t]*:"
    rb"|(?<=[^\s])(?:User-agent|Disallow|Allow|Crawl-delay|Sitemap):"  # a lost line end
    rb"(?:[ \t]|(?=User-agent:|Disallow:|Allow:|Crawl-delay:|Sitemap:))"
)

GROUP = re.compile(rb"(?is)(?:(?!user-?agent[ \t]*:).)*+user-?agent[ \t]*:.*allow[ \t]*:")
"""A text with a group in it, from its beginning: each `User-agent` is looked at once."""


@check("RT111", "error", fix="unsafe")
def several_fields_on_a_line(file: File) -> Iterator[Found]:
    """A line with several fields, such as `User-agent: * Disallow: /`, or a file on one line.

    Why: crawlers read one field per line, and treat the rest as its value, or as its comment.

    Use instead: a line for each field.

    Fix: the line is split before each field; of `User-agent: User-agent: *`, only the second field
    stays. The rules then take effect, so the fix is unsafe. There is none where the comment of the
    line has fields, too, a value begins with a colon, or it would take a `Sitemap` away.
    """
    lines = [line for line in file.lines if line.kind != "blank"]
    if len(lines) == 1 and lines[0].kind == "comment":
        span = file.content(lines[0].number)
        if GROUP.match(file.text(span)):
            yield from _split(file, lines[0].number, span)
    for line in lines:
        if line.value_span is not None and line.key is not None:
            yield from _split(file, line.number, line.value_span, line.key)


def _split(file: File, number: int, span: Span, key: str | None = None) -> Iterator[Found]:
    """Yield what to say of a text that contains fields.

    key:  that for whose value crawlers take the fields; None for a comment, the only line.
    """
    text = file.text(span)
    matches = list(FIELD.finditer(text)) if b":" in text else []  # few values have one
    if matches:
        start, stop = span
        edits = tuple(_on_own_line(file, number, start, match) for match in matches)
        name = matches[0][0].strip().rstrip(b": \t")
        part_of = "the only line, a comment" if key is None else f"the value of {quoted(key)}"
        what = f"{quoted(name)} is read as part of {part_of}"
        found = (start + _begin(matches[0]), stop)
        behind = file.text((stop, file.line(number).span[1]))
        is_odd = FIELD.search(behind) or any(text.startswith(b":", each.end()) for each in matches)
        is_lost = not matches[0].start() and file.line(number).field == "sitemap"
        fix = None if is_odd or is_lost else Fix("Split the line", edits, "unsafe")
        yield Found(number, what, found, fix=fix)


def _on_own_line(file: File, number: int, start: int, match: re.Match[bytes]) -> Edit:
    """Return the edit that makes a line of its own of a field in a text that begins at `start`."""
    if not match.start():  # nothing stands before it but another field, which has no value
        return Edit((file.content(number)[0], start + _begin(match)), b"")
    return Edit((start + match.start(), start + _begin(match)), file.line_end)


def _begin(match: re.Match[bytes]) -> int:
    """Return where a field begins."""
    return match.start() + len(match["blank"] or b"")


def has_field(value: bytes) -> bool:
    """Whether a value contains another field."""
    return b":" in value and FIELD.search(value) is not None


@check("RT120", "error", fix="unsafe")
def invisible_character(file: File) -> Iterator[Found]:
    """A line with an invisible character that is not ASCII, such as a no-break space (U+00A0) or a
    zero-width space (U+200B), with typographic quotes around its field or its value, a bullet
    before the field, a dash in it (U+2013) or an ellipsis (U+2026) behind the value.

    Text that is copied from a web page or a word processor contains them. Such a line has no other
    findings: they would be about the character. A quote within a path may be part of it.

    Why: crawlers read it as part of the field or of the value, and few URLs have it.

    Use instead: the line without it; `%C2%A0` if URLs of the site have the character.

    Fix: characters before and behind the field and the value are removed. The line then takes
    effect, so the fix is unsafe.
    """
    for number, marks in file.marks.items():
        edits = tuple(Edit(span, b"") for _, where, span in marks if "within" not in where)
        first = number == 1 and file.body.startswith(BOM_UTF8)  # RT109
        text = file.text(file.content(number)).partition(b"#")[0]
        is_clean = edits and len(edits) + first == len(MARK.findall(text))
        fix = Fix("Remove the characters", edits, "unsafe") if is_clean else None
        shown = listed(list(dict.fromkeys(f"{name} {where}" for name, where, _ in marks)))
        yield Found(
            number, f"{shown} in {quoted(file.text(file.content(number)))}", marks[0][2], fix=fix
        )


@check("RT113", "warning", fix="safe")
def missing_colon(file: File) -> Iterator[Found]:
    """A line without a colon between field and value, which Google accepts, and others do not.

    Why: Google reads such a line, and other crawlers skip it.

    Use instead: `Disallow: /private`.

    Fix: a colon is written. The fix is unsafe if a decision of any crawler may change.
    """
    for line in map(file.line, file.numbers_of("missing-colon")):
        if line.key is not None and line.value_span is not None:
            span = separator_span(file.robots, line)
            yield Found(
                line.number,
                f"there is no colon after {quoted(line.key)}",
                fix=file.prove_fix([Edit(span, b": ")], "Write a colon"),
            )


HIDDEN_FIELD = re.compile(rb".{0,12}(?:user-agent|allow|sitemap|crawl-delay)\s*:", re.IGNORECASE)
"""A field after invisible characters, such as a byte order mark in another encoding."""


@check("RT115", "warning", fix="safe")
def text_outside_comment(file: File) -> Iterator[Found]:
    """A line that is neither blank, nor a comment, nor a field with a value.

    Why: crawlers skip such a line, or treat its beginning as a field.

    Use instead: `#` before a comment, a field before a path.

    Fix: the line becomes a comment, unless it has a field without its colon, or after invisible
    characters. Crawlers skip both, so no decision changes.
    """
    for line in file.lines:
        if line.kind != "unknown" or (line.key is not None and not is_prose(line)):
            continue
        span = file.content(line.number)
        if not (text := file.text(span)):
            continue
        what = (
            "is not a comment: comments in robots.txt files begin with `#`"
            if text.startswith(b"<!--")
            else "is neither a field with a value nor a comment"
        )
        fix = file.rewrite((span[0], span[0]), b"# ", "Make it a comment", "safe")
        shown = None if _has_hidden_field(text) else fix
        yield Found(line.number, f"{quoted(text)} {what}", span, fix=shown)


def _has_hidden_field(text: bytes) -> bool:
    """Whether a line has a field without its colon, or after invisible characters."""
    first = text.decode("utf-8", "replace").split()[:1]
    return bool(HIDDEN_FIELD.match(text)) or any(nearest(word, SPELLINGS) for word in first)


@check("RT116", "warning")
def invalid_utf_8(file: File) -> Iterator[Found]:
    """A value in an encoding other than UTF-8, such as Latin-1.

    Why: crawlers compare it byte by byte, and no URL of the site has these bytes.

    Use instead: UTF-8, or the escapes that the URLs of the site have, such as `%C3%A9`.
    """
    for line in map(file.line, file.numbers_of("invalid-utf8")):
        yield Found(line.number, "the line is not UTF-8", line.value_span)


@check("RT117", "warning")
def unknown_ignore(file: File) -> Iterator[Found]:
    """A comment `# verger: ignore ...` that names a check that does not exist.

    Why: the comment silences nothing, or less than intended.

    Use instead: a code, a code prefix, or a name that `verger lint --list` shows.
    """
    for silencer in silencers_in(file.lines) if b"verger" in file.body.lower() else ():
        for word in silencer.words:
            if not codes_named_by(word):
                span = file.content(silencer.line)
                yield Found(silencer.line, f"{quoted(word)} is not a check", span)


MOST_RELATED = 3


@check("RT119", "error")
def unrendered_template(file: File) -> Iterator[Found]:
    r"""Marks of a template language, such as `{{ site.url }}`, `{% if %}`, `<%= %>` or `<?php`,
    front matter, or line ends that a program wrote as `\n`, `\r\n`, `<br>` or `%0A`, as in a file
    that is a JSON text.

    A file has one such finding, and its lines with marks have no others. A pattern that begins
    with a slash or a star may contain marks: sites have such URLs by mistake, and disallow them.

    The source of a template, such as `layouts/robots.txt` in Hugo, is reported as well: check its
    output. Nothing edits such a file: no finding in it has a fix, and `verger fmt`, `block`,
    `allow` and `minimise` refuse it. What two of its lines mean together is not reported across a
    mark, because they may be of different branches.

    Why: where the file is published as it is, crawlers read the marks as parts of names and paths.

    Use instead: the output of the template, with real line ends.
    """
    lines = sorted(file.templates)
    for first in lines[:1]:
        text = file.text(file.content(first))
        end = LINE_END.search(text)
        unrendered = end and f"has {quoted(end[1] or end[2])} for a line end that was not rendered"
        what = unrendered or "is a line of a template: publish what it renders"
        more = f"; likewise {counted(len(lines) - 1, 'more line')}" if lines[1:] else ""
        yield Found(
            first,
            f"{quoted(text)} {what}{more}",
            related=tuple(Related(number, "another one") for number in lines[1 : MOST_RELATED + 1]),
        )
