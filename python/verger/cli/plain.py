"""Text of strangers, made safe to print: files and URLs come from anyone.

In: text, as verger decodes octets (UTF-8 with surrogateescape). Out: text in which every
character is seen and none acts: no control characters, no terminal escapes, no marks that
turn the direction of writing, nothing invisible.
"""


def printable(text: str) -> str:
    r"""Return the text with every character that is not plainly visible as `\x1b` or `\u202e`."""
    if text.isprintable():
        return text
    return "".join(map(glyph, text))


def glyph(character: str) -> str:
    """Return what to print for one character."""
    if character.isprintable():
        return character
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # an octet that is no UTF-8
        code -= 0xDC00
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def columns(text: str) -> int:
    """Return how many columns of a terminal printable text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    wide = sum(east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(combining(character) != 0 for character in text)


def shortened(text: str, limit: int) -> str:
    """Return the text, or where it is longer than `limit` its two ends around `...`."""
    if len(text) <= limit:
        return text
    tail = limit // 3
    return f"{text[: limit - tail - 3]}...{text[-tail:]}"
