"""Untrusted text in Markdown.

In: text from files. Out: GitHub Flavored Markdown in which nothing of it is a link, a mention, a
tag or a column.
"""

from verger.plain import printable, shortened

WIDEST = 72
"""The most characters of a quote."""


def code(text: str) -> str:
    """Return untrusted text as code that is shown literally, even in a table.

    A backtick would end code, and a pipe a cell: a backslash before it could be undone by one that
    is already there (GFM 0.29, section 4.10). Text with one of these, and text that ends in a
    space, is written with entities.
    """
    shown = shortened(printable(text), WIDEST)
    if shown and shown.strip() == shown and not {"`", "|"} & set(shown):
        return f"`{shown}`"
    return f"<code>{''.join(map(_entity, shown))}</code>"


def prose(text: str) -> str:
    """Return a sentence with untrusted quotes, escaped for Markdown, even in a table.

    Words and punctuation are kept; what could be a link, a mention or a tag is an entity.
    """
    return "".join(each if each in _PLAIN else _entity(each) for each in printable(text))


_PLAIN = frozenset(" ,;()")


def _entity(character: str) -> str:
    return character if character.isalnum() else f"&#{ord(character)};"


def sentence(text: str) -> str:
    """Return words as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."
