"""URLs that are likely to be decided by a given path pattern, or to miss it narrowly.

In: a path pattern as written. Out: URLs as `str`: paths, absolute URLs, and the odd forms
that Google's parser splits in its own way; bytes that are not UTF-8 become lone surrogates, as
verger takes them. Nothing here knows which URLs match.
"""

import re
from collections.abc import Callable
from random import Random
from urllib.parse import unquote

_FILLERS = ("", "", "a", "0", "x/y", "q.php", "index.html", "~u", "%2A", "*", "é", "a%2fb")
_TAILS = ("x", "/", "/a/b", ".html", "index.htm", "%20", "?a=b", ";p", "$", "é", "%e9", "//")
_QUERIES = ("?", "?a=b", "?u=http://e.com/", "?u=http%3A%2F%2Fe.com", "?*", "&x=$", "?a?b;c")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")

Draw = Callable[[Random, str], str]


def derived(rng: Random, host: str, pattern: bytes) -> str:
    """Return a URL made from a pattern: wildcards filled, varied, in some form."""
    return formed(rng, host, varied(rng, filled(rng, pattern)))


def filled(rng: Random, pattern: bytes) -> str:
    """Return a path that the pattern should match: `*` filled, a final `$` mostly dropped."""
    text = spelled(rng, pattern)
    if text.endswith("$") and rng.random() < 0.85:
        text = text[:-1]
    head, *rest = text.split("*")
    path = head + "".join(rng.choice(_FILLERS) + piece for piece in rest)
    return path if path.startswith("/") or rng.random() < 0.1 else "/" + path


def spelled(rng: Random, data: bytes) -> str:
    """Return bytes as text, those beyond ASCII escaped in upper or lower case, or decoded."""
    style = rng.random()
    if style > 0.85:
        return data.decode("utf-8", "surrogateescape")
    form = "%{:02X}" if style < 0.65 else "%{:02x}"
    text = "".join(chr(byte) if byte < 0x80 else form.format(byte) for byte in data)
    return _ESCAPE.sub(lambda escape: escape[0].upper(), text) if style < 0.5 else text


def bytes_of(text: str) -> bytes:
    """Return the bytes that a URL or a token stands for, UTF-8 or not."""
    return text.encode("utf-8", "surrogateescape")


def varied(rng: Random, path: str) -> str:
    """Return the path, in two of five cases changed at one place."""
    return path if rng.random() < 0.6 else rng.choice(_VARIATIONS)(rng, path)


def formed(rng: Random, host: str, path: str) -> str:
    """Return the path as it is, on an absolute URL, or in an odd form."""
    choice = rng.random()
    if choice < 0.42:
        return path
    return f"https://{host}{path}" if choice < 0.88 else odd(rng, host, path)


def odd(rng: Random, host: str, path: str) -> str:
    """Return a URL whose split into authority and path is debatable."""
    return rng.choice(_ODD_FORMS).format(host=host, path=path, tail=path.lstrip("/"))


_ODD_FORMS = (
    "//{host}{path}",
    "{host}{path}",
    "{host}",
    "",
    "{tail}",
    "?{tail}",
    ";{tail}",
    "#{path}",
    "http:{path}",
    "http:/{host}{path}",
    "http://{host}",
    "http://{host};{tail}",
    "http://{host}?{tail}",
    "http://{host}#f{path}",
    "http://u:p@{host}:8080{path}#f",
    "///{host}{path}",
    "////{tail}",
    "//http://{host}{path}",
    "a:b://{host}{path}",
    "://{host}{path}",
    "{host}://x{path}",
    "/{host}://x{path}",
    "?a://{host}{path}",
    "http://{host}/a://b{path}",
    "HTTP://[::1]:80{path}",
    "mailto:a@{host}",
    " {path}",
    "http://{host}\\{tail}",
)


def _extended(rng: Random, path: str) -> str:
    return path + rng.choice(_TAILS)


def _truncated(rng: Random, path: str) -> str:
    return path[: rng.randrange(len(path) + 1)] or "/"


def _as_directory(_: Random, path: str) -> str:
    return path[: path.rfind("/") + 1]


def _as_index(rng: Random, path: str) -> str:
    return _as_directory(rng, path) + rng.choice(("index.html", "index.htm", "index.php"))


def _queried(rng: Random, path: str) -> str:
    return path + rng.choice(_QUERIES)


def _with_fragment(rng: Random, path: str) -> str:
    place = rng.randrange(1, len(path) + 1) if path else 0
    return f"{path[:place]}#{path[place:]}"


def _escaped_once(rng: Random, path: str) -> str:
    place = rng.randrange(len(path)) if path else 0
    form = rng.choice(("%{:02X}", "%{:02x}"))
    escapes = "".join(form.format(byte) for byte in bytes_of(path[place : place + 1]))
    return path[:place] + escapes + path[place + 1 :]


def _unescaped(_: Random, path: str) -> str:
    return unquote(path, errors="surrogateescape")


def _hex_case_swapped(_: Random, path: str) -> str:
    return _ESCAPE.sub(lambda escape: escape[0].swapcase(), path)


def _letter_case_swapped(_: Random, path: str) -> str:
    return path.swapcase()


def _inserted(rng: Random, path: str) -> str:
    place = rng.randrange(len(path) + 1)
    return path[:place] + rng.choice("/.*$% ~é\t\0\x7f%") + path[place:]


_VARIATIONS: tuple[Draw, ...] = (
    _extended,
    _extended,
    _extended,
    _truncated,
    _truncated,
    _as_directory,
    _as_index,
    _queried,
    _with_fragment,
    _escaped_once,
    _unescaped,
    _hex_case_swapped,
    _letter_case_swapped,
    _inserted,
)
