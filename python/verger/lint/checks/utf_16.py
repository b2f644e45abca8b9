"""RT101: a file in UTF-16."""

from collections.abc import Iterator

from verger.analysis import Edit
from verger.lint.check import check
from verger.lint.diagnostic import Fix, Found
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
    name = "utf-16-le" if little else "utf-16-be"
    text = file.body.decode(name, "replace").removeprefix("\ufeff")
    edit = Edit((0, len(file.body)), text.encode("utf-8", "replace"))
    fix = Fix("Convert the file to UTF-8", (edit,), "unsafe")
    yield Found(1, "the file is encoded in UTF-16", (0, 2), fix=fix)
