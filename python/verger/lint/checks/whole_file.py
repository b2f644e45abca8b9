"""What is wrong with a file as a whole: it is not a robots.txt file, or it is not read as one.

RT101 to RT106, RT109, RT110 and RT505.
"""

from codecs import BOM_UTF8
from collections.abc import Iterator

from verger.analysis.edits import Edit, end_of_line
from verger.lint.check import check
from verger.lint.diagnostic import Fix, Found, quoted
from verger.lint.file import File


@check("RT101", "error", fix="unsafe", reads_any_file=True)
def utf_16(file: File) -> Iterator[Found]:
    """A file that is encoded in UTF-16, as some editors save "Unicode" text.

    Why: robots.txt files are UTF-8, and most crawlers read no line of this one.

    Use instead: UTF-8 without a byte order mark.

    Fix: the file is converted to UTF-8. Its rules then take effect, so the fix is unsafe.
    """
    if "utf-16" not in file.by_code:
        return
    little = file.body.startswith(b"\xff\xfe") or file.body[1:2] == b"\0"
    text = file.body.decode("utf-16-le" if little else "utf-16-be", "replace")
    new = text.removeprefix("\ufeff").encode("utf-8", "replace")
    yield Found(
        1,
        "the file is encoded in UTF-16",
        (0, 2),
        fix=file.rewrite((0, len(file.body)), new, "Convert the file to UTF-8", "unsafe"),
    )


@check("RT102", "error", reads_any_file=True)
def html_page(file: File) -> Iterator[Found]:
    """An HTML page, as servers send it in place of a missing file.

    A file that has a `User-agent` line is a robots.txt file, and its HTML lines are RT115.

    Why: crawlers find no rules in it, and fetch everything.

    Use instead: a text file, or status 404 if there is no robots.txt file.
    """
    return _once(file, "html", "the file is an HTML page, not a robots.txt file")


@check("RT103", "error", reads_any_file=True)
def json_document(file: File) -> Iterator[Found]:
    """A JSON document, as APIs send it in place of a missing file, without any `User-agent` line.

    Why: crawlers find no rules in it, and fetch everything.

    Use instead: a text file, or status 404 if there is no robots.txt file.
    """
    return _once(file, "json", "the file is a JSON document, not a robots.txt file")


@check("RT104", "error", reads_any_file=True)
def not_text(file: File) -> Iterator[Found]:
    """A file that is not text, such as one that a server compressed without saying so.

    Why: crawlers find no rules in it, and fetch everything.

    Use instead: plain text, served as `text/plain`, with `Content-Encoding` if it is compressed.
    """
    return _once(file, "not-text", "the file is not text")


BLANK = b" \t\r\n\v\f" + BOM_UTF8


@check("RT105", "note")
def empty_file(file: File) -> Iterator[Found]:
    """A file with only blank lines and comments: everything may be fetched.

    Why: an empty file allows every crawler to fetch everything.

    Use instead: `User-agent: *` and an empty `Disallow:`, which says so explicitly.
    """
    if all(line.kind in ("blank", "comment") for line in file.lines):
        what = "says nothing" if file.body.strip(BLANK) else "is empty"
        yield Found(1, f"the file {what}: every crawler may fetch everything", (0, 0))


@check("RT106", "error")
def over_parsing_limit(file: File) -> Iterator[Found]:
    """A file of more than 500 KiB: Google ignores the rest (RFC 9309 section 2.5).

    Why: rules beyond the limit are not read, and the rule at the limit may be cut.

    Use instead: fewer rules. `verger minimise` finds those that change no decision.
    """
    what = f"Google reads 500 KiB of {len(file.body):,} bytes, up to this line"
    return _once(file, "over-parsing-limit", what)


def _once(file: File, code: str, what: str) -> Iterator[Found]:
    """Yield what to say of the first line with a finding of the parser."""
    yield from (Found(number, what) for number in file.numbers_of(code)[:1])


@check("RT109", "note", fix="safe")
def byte_order_mark(file: File) -> Iterator[Found]:
    """A byte order mark (BOM) before the first line, as some editors write it.

    Why: crawlers that do not expect it read the first line as an unknown field.

    Use instead: UTF-8 without a byte order mark.

    Fix: the mark is removed.
    """
    if file.body.startswith(BOM_UTF8):
        mark = 0, len(BOM_UTF8)
        yield Found(
            1,
            "the file begins with a byte order mark",
            mark,
            fix=file.rewrite(mark, b"", "Remove the byte order mark", "safe"),
        )


NAMES = {b"\n": "LF", b"\r\n": "CR LF", b"\r": "CR"}


@check("RT110", "note", fix="safe")
def mixed_line_ends(file: File) -> Iterator[Found]:
    """A file whose lines do not all end in the same way.

    Why: editors and diffs display such a file differently, and may join its lines.

    Use instead: LF or CR LF throughout.

    Fix: all lines use the most common line end.
    """
    crlf = file.body.count(b"\r\n")
    if crlf == file.body.count(b"\r") and crlf in (0, file.body.count(b"\n")):
        return
    usual = file.line_end
    ends = ((line, end_of_line(file.text(line.span))) for line in file.lines)
    odd = [(line, end) for line, end in ends if end not in (usual, b"")]
    edits = tuple(Edit((line.span[1] - len(end), line.span[1]), usual) for line, end in odd)
    fix = Fix(f"Let every line end in {NAMES[usual]}", edits, "safe")
    for line, end in odd[:1]:
        what = f"the line ends in {NAMES[end]}, and most end in {NAMES[usual]}"
        yield Found(line.number, what, fix=fix)


NAME = "robots.txt"

WRONG = (NAME, "robot.txt", "robots.txt.txt")
"""What it is called by mistake, in lower case; the last one by editors that hide `.txt`."""


@check("RT505", "error", reads_any_file=True)
def wrong_name(file: File) -> Iterator[Found]:
    """A file named `ROBOTS.TXT`, `Robots.txt` or `robot.txt`, if its name is known.

    Crawlers fetch `/robots.txt`, in lower case (RFC 9309 section 2.3).

    Why: crawlers get no file, and fetch everything.

    Use instead: the name `robots.txt`.
    """
    if file.name is not None and file.name != NAME and file.name.lower() in WRONG:
        yield Found(1, f"crawlers ask for `{NAME}`, and this file is {quoted(file.name)}", (0, 0))
