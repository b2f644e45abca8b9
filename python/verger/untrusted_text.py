"""Untrusted text, made safe to show: files, URLs and headers come from anyone.

In: text, as verger decodes bytes (UTF-8 with surrogateescape). Out: text in which every
character is visible and none has an effect: no control characters, no terminal escapes, no marks
that change the direction of writing, nothing invisible.
"""

from collections.abc import Callable, Collection, Iterable, Sequence

MOST_NAMED = 6
"""The most crawlers or lines that one sentence names."""

BACKTICK = r"\x60"
"""How a backtick is written in a quotation."""

LONGEST_QUOTE = 2_000
"""How many characters of a quotation are shown."""

LONGEST_NAME = 100
"""How many characters of a text are compared with known names."""


def printable(text: str) -> str:
    r"""Return the text with invisible characters escaped, such as `\x1b` or `\u202e`."""
    is_plain = text.isprintable() and (text.isascii() or _INVISIBLE.isdisjoint(text))
    return text if is_plain else "".join(map(glyph, text))


def glyph(character: str) -> str:
    """Return what to print for one character."""
    if character.isprintable() and character not in _INVISIBLE:
        return character
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8
        code -= 0xDC00
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def quoted(text: str, limit: int = LONGEST_QUOTE) -> str:
    r"""Return untrusted text in backticks, shortened; it cannot end the quotation, since a backtick
    in it is written as `\x60`."""
    return f"`{shortened(printable(text).replace('`', BACKTICK), limit)}`"


def visible(text: str, limit: int) -> str:
    """Return untrusted text with nothing invisible in it, shortened: escapes count as well."""
    return shortened(printable(text), limit)


def shortened(text: str, limit: int) -> str:
    """Return the text; if it is longer than `limit`, its two ends around `...`."""
    if len(text) <= limit:
        return text
    tail = limit // 3
    return f"{text[: limit - tail - 3]}...{text[-tail:]}"


def closest(word: str, known: Iterable[str], *, least: float = 0.6) -> str | None:
    """Return the known word that the user most likely meant, if any is close.

    least:  how much both have in common, as `difflib` counts it.
    """
    from difflib import get_close_matches

    as_known = {name.lower(): name for name in known}
    # A much longer text is close to nothing, and comparing it would take seconds.
    near = get_close_matches(word[:LONGEST_NAME].lower(), list(as_known), n=1, cutoff=least)
    return as_known[near[0]] if near else None


def close_hint(word: str, known: Iterable[str]) -> str | None:
    """Return a hint with the closest match for an unknown word, if there is one."""
    near = closest(word, known)
    return f"did you mean `{near}`?" if near else None


def choice_hint(word: str, known: Collection[str]) -> str:
    """Return a hint for an unknown word: the closest match, or else all known words."""
    return close_hint(word, known) or f"choose from {', '.join(f'`{name}`' for name in known)}"


def counted(number: int, noun: str) -> str:
    """Return `1 site`, `2,000 sites`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(
    words: Sequence[object], shown: Callable[..., str] = str, *, most: int = MOST_NAMED
) -> str:
    """Return `a`, `a and b`, `a, b and 3 more`.

    shown:  returns the text of a word; it is called only for the words named.
    most:   how many entries there are at most, `3 more` included.
    """
    more = len(words) - most
    named = [shown(word) for word in (words if more <= 0 else words[: most - 1])]
    if more > 0:
        named.append(f"{more + 1:,} more")
    return " and ".join([*[", ".join(named[:-1])][: len(named) - 1], *named[-1:]])


def lines_of(numbers: Sequence[int], *, most: int = MOST_NAMED) -> str:
    """Return `line 4`, `lines 4 and 7`; see `listed`."""
    noun = "line" if len(numbers) == 1 else "lines"
    return f"{noun} {listed(numbers, most=most)}"


def rule_text(allow: bool, pattern: str) -> str:
    """Return a rule as it is written in a file: `Disallow: /private`."""
    return f"{'Allow' if allow else 'Disallow'}: {pattern}"


def reason_of(error: Exception) -> str:
    """Return the first line of an error's message, from the system or a library, starting in lower
    case."""
    words = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return uncapitalized(words.splitlines()[0] if words else type(error).__name__)


def without_secrets(text: str) -> str:
    """Return a message in which URLs show no password or key, and no signature of a signed
    address."""
    if "://" not in text:
        return text
    import re

    text = re.sub(r"(://[^/\s`@:]*:)[^/\s`]*@", r"\1...@", text)
    text = re.sub(r"(?i)(https?://)[^/\s`@:?#]+@", r"\1...@", text)
    from urllib.parse import unquote

    def shown(part: re.Match[str]) -> str:
        is_secret = re.search(SECRET, unquote(part[1]))
        return f"{part[0].partition('=')[0]}=..." if is_secret else part[0]

    return re.sub(r"[?&#]([^=?&#\s`]*)=[^&#\s`]*", shown, text)


SECRET = (
    "(?i)token|signature|credential|secret|passw|(?:api|access|account)[-_]?key"
    "|^(?:sig|key|auth|pwd)$"
)
"""The parts of a query that let whoever has them read an object, by their names."""


def uncapitalized(text: str) -> str:
    """Return a text of others as the middle of a sentence: `Invalid value` begins in lower case,
    and `IP address mismatch`, `RecordBatch is empty` and `I/O error` stay as they are."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    is_a_word = first[1:].islower() or len(first) == 1
    return text[:1].lower() + text[1:] if is_a_word else text


def is_unicode(text: str) -> bool:
    """Whether a text has no surrogates, which represent bytes that are not UTF-8."""
    return text == text.encode(errors="ignore").decode()


def octets_of(text: str) -> bytes:
    """Return the bytes of a text, in which those that are not UTF-8 are lone surrogates.

    Surrogates that stand for no byte become the bytes of their code points.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def unicode_text(text: str) -> str:
    r"""Return a text that UTF-8 can encode, for Arrow tables: other bytes become `\xff`."""
    if text.isascii():
        return text
    data = "".join(map(_without_stray_surrogate, text)).encode("utf-8", "surrogateescape")
    return data.decode("utf-8", "backslashreplace")


def unicode_value(value: object) -> object:
    """Return a value for a column of Arrow: text as `unicode_text` returns it, others unchanged."""
    return unicode_text(value) if isinstance(value, str) else value


def _without_stray_surrogate(character: str) -> str:
    """Return the character; U+FFFD for a surrogate that does not represent a byte."""
    is_stray = "\ud800" <= character <= "\udfff" and not "\udc80" <= character <= "\udcff"
    return "\ufffd" if is_stray else character


_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}

_INVISIBLE = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
            *range(0x180B, 0x1810),
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ),
    )
)
"""Invisible characters that Python calls printable: fillers, joiners and variation selectors.

Unicode 15.0, DerivedCoreProperties.txt, Default_Ignorable_Code_Point; and the Braille blank.
"""
