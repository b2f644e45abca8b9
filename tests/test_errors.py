"""The file is never wrong; the caller can be, and is told what, where and what now.

In: calls with something wrong in them. Out: the class of the error, its message and its hint.
"""

import sys
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

import verger
from steps import steps_of
from support import REFUSERS
from verger import errors

ROBOTS = verger.parse(b"User-agent: *\nDisallow: /private\n")
SCOPED = verger.parse(b"", url="https://example.com/robots.txt")
HEADER = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
BARE_NAME = "pass `GPTBot`"
OWN_NAME = "pass the crawler's own name, such as `ExampleBot`"


def untyped(function: Callable[..., object]) -> Callable[..., Any]:
    """A call as an untyped program can make it."""
    return function


parse: Callable[..., Any] = untyped(verger.parse)
allowed: Callable[..., Any] = untyped(ROBOTS.allowed)
allowed_many: Callable[..., Any] = untyped(ROBOTS.allowed_many)
replace: Callable[..., Any] = untyped(verger.RFC9309.replace)


# Product tokens


@pytest.mark.parametrize(
    ("token", "offence", "hint"),
    [
        ("Googlebot/2.1", "`/` at offset 9", "pass `Googlebot`"),
        (HEADER, "`/` at offset 7", "pass `Googlebot`"),
        (
            "GPTBot,CCBot",
            "`,` at offset 6",
            'pass several tokens as a sequence: `["GPTBot", "CCBot"]`',
        ),
        (
            "GPTBot|CCBot",
            "`|` at offset 6",
            'pass several tokens as a sequence: `["GPTBot", "CCBot"]`',
        ),
        ("a;b", "`;` at offset 1", 'pass several tokens as a sequence: `["a", "b"]`'),
        ("a,b,c,d", "`,` at offset 1", 'pass several tokens as a sequence: `["a", "b", "c", …]`'),
        ("GPTBot:", "`:` at offset 6", BARE_NAME),
        ("User-agent: GPTBot", "`:` at offset 10", BARE_NAME),
        ("GPTBot ", "` ` at offset 6", BARE_NAME),
        ("(Googlebot)", "`(` at offset 0", "pass `Googlebot`"),
        ("GPTBot*", "`*` at offset 6", OWN_NAME),
        ("a@b", "`@` at offset 1", OWN_NAME),
        ("GPTBot/1.0, CCBot/2.0", "`/` at offset 6", OWN_NAME),
        ("Example Bot", "` ` at offset 7", OWN_NAME),
        ("a(b)", "`(` at offset 1", "pass `a`"),
        ("Mozilla/5.0", "`/` at offset 7", OWN_NAME),
        ("/2.1", "`/` at offset 0", OWN_NAME),
        ("/", "`/` at offset 0", OWN_NAME),
        ("", "it is empty", OWN_NAME),
    ],
)
def test_invalid_product_token(token: str, offence: str, hint: str) -> None:
    """What is not a product token is refused, with the first bad byte and the token to pass."""
    message = f"`{token}` is not a product token: {offence} (RFC 9309 section 2.2.1)"
    for call in (ROBOTS.agent, lambda token: ROBOTS.allowed("/", ["ExampleBot", token])):
        with pytest.raises(verger.InvalidProductToken) as raised:
            call(token)

        assert message == raised.value.message
        assert hint == raised.value.hint
        assert f"{message}\nhint: {hint}" == str(raised.value)


@pytest.mark.parametrize("token", ["a\tb", "a\nb", "a\u2003b", "\u00a0"])
def test_white_space_is_shown_escaped(token: str) -> None:
    """A message is one line, whatever white space the token holds, and shows which it was."""
    with pytest.raises(verger.InvalidProductToken) as raised:
        ROBOTS.agent(token)

    assert "\n" not in raised.value.message
    assert "\t" not in raised.value.message
    assert "`\\" in raised.value.message


@pytest.mark.parametrize(
    "token",
    [
        *("ExampleBot", "MJ12bot", "example-bot_2.0", "\u00fcbot", "\u30af\u30ed\u30fc\u30e9", "*"),
        *("\u092c\u0949\u091f", "!$%&'+-.^_`~"),
    ],
)
def test_valid_product_token(token: str) -> None:
    """Letters of any script, digits, the marks of RFC 9110 section 5.6.2, and `*` alone."""
    assert (token,) == ROBOTS.agent(token).tokens
    assert not ROBOTS.allowed("/private", token)


def test_letters_of_all_scripts() -> None:
    """Outside ASCII letters are in tokens; marks, digits, controls and what is unknown are not."""
    for code in range(0x80, sys.maxunicode + 1):
        kind = unicodedata.category(chr(code))
        if kind in DECIDED:
            assert DECIDED[kind] == is_token(chr(code)), f"U+{code:04X} {kind}"


LETTERS = dict.fromkeys(("Lu", "Ll", "Lt", "Lm", "Lo"), True)
OTHERS = dict.fromkeys(
    (
        *("Nd", "No", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sc", "Sk", "Sm"),
        *("Zl", "Zp", "Zs", "Cc", "Cf", "Co", "Cs", "Me"),
    ),
    False,
)
DECIDED = LETTERS | OTHERS
"""Categories of Unicode, but those that hold letters' parts and others: vowel signs, numerals."""


def is_token(text: str) -> bool:
    try:
        verger.check_product_token(text)
    except verger.InvalidProductToken:
        return False
    return True


@pytest.mark.parametrize("dialect", sorted(set(verger.DIALECTS) - {"googlebot-cpp"}))
def test_tokens_are_checked_without_a_file(dialect: str) -> None:
    """`check_product_token` refuses what a file would, for one token or several."""
    check = untyped(verger.check_product_token)
    for good in ("a", "*", ["a", "b"], ("a",)):
        assert check(good, dialect=dialect) is None
    for bad in ("", "a,b", "a b", ["a", "b:"], []):
        with pytest.raises(verger.InvalidProductToken):
            check(bad, dialect=dialect)
    for wrong in (b"a", 3, None, {"a"}, [b"a"]):
        with pytest.raises(TypeError):
            check(wrong, dialect=dialect)


@pytest.mark.parametrize(
    "header",
    [
        *("Foo+Bar/1.0", "\u00b2bot/1", "a,b/1", "a|b/1", "#a/1", "*/1", "x (compatible; a:b/1)"),
        *("a\u0301/1", "\u202ebot/1", "x (compatible; \uff11/1; +http://a)", "\udcfcbot/1"),
    ],
)
def test_what_a_header_names_is_a_token(header: str) -> None:
    """`product_token` returns nothing that the check refuses."""
    token = verger.product_token(header)

    assert token is None or is_token(token)


def test_no_product_token() -> None:
    """An empty list of tokens asks for nobody."""
    with pytest.raises(verger.InvalidProductToken, match="no product token was given"):
        ROBOTS.agent([])


@pytest.mark.parametrize("dialect", ["original-1994", "koster-1996"])
def test_versions_are_cut_before_the_rfc(dialect: str) -> None:
    """The dialects of 1994 and 1996 cut a version themselves; what is left must be a token."""
    robots = verger.parse(b"User-agent: figtree\nDisallow: /\n", dialect=dialect)

    assert not robots.allowed("/", "FigTree/0.1")
    for token in ("/0.1", "", "Fig Tree/0.1", HEADER):
        with pytest.raises(verger.InvalidProductToken):
            robots.agent(token)


@pytest.mark.parametrize("token", ["", "Googlebot/2.1", HEADER, "a b", "\0"])
def test_googlebot_cpp_takes_any_token(token: str) -> None:
    """Google's parser compares whatever it is given, and so does its dialect."""
    robots = verger.parse(b"User-agent: *\nDisallow: /\n", dialect="googlebot-cpp")

    assert not robots.allowed("/", token)


# URLs


def askers(robots: verger.RobotsTxt) -> list[Callable[[str], object]]:
    """Return every call that asks a file about a URL."""
    agent = robots.agent("x")
    return [
        *(lambda url: robots.allowed(url, "x"), lambda url: robots.decide(url, "x")),
        *(lambda url: robots.allowed_many(["/", url], "x"), agent.allowed, agent.decide),
        lambda url: agent.allowed_many(["/a", url]),
    ]


NO_TARGETS = {
    ("a scheme and `://`", "pass an absolute URL, or a path"): [
        "",
        "page",
        "mailto:a@b.c",
        "http:/a",
        "?q",
    ],
    ("a scheme and `://`", "pass `https://example.com/a`, or a path"): ["example.com/a"],
    ("there is no host", "pass a URL such as `https://example.com/page`"): [
        "https://",
        "https:///a",
    ],
}
"""What is said of URLs, by message and hint."""


@pytest.mark.parametrize(
    ("url", "offence", "hint"),
    [(url, *said) for said, urls in NO_TARGETS.items() for url in urls],
)
def test_invalid_target(url: str, offence: str, hint: str) -> None:
    """What is neither an absolute URL nor a path is refused by every call that takes a URL."""
    for call in (*askers(ROBOTS), SCOPED.governs, ROBOTS.clean):
        with pytest.raises(verger.InvalidTarget) as raised:
            call(url)

        assert raised.value.message.startswith(f"`{url}` is not a URL to ask about: ")
        assert offence in raised.value.message
        assert raised.value.message.endswith("(RFC 3986 section 3)")
        assert str(raised.value.hint).startswith(hint)


@pytest.mark.parametrize(
    "url", ["https://example.com:99999/", "https://example.com:http/", "https://exa mple.com/"]
)
def test_invalid_authority(url: str) -> None:
    """Where the origin matters, host and port are looked at; a file without URL ignores them."""
    with pytest.raises(verger.InvalidTarget):
        SCOPED.allowed(url, "x")
    assert ROBOTS.allowed(url, "x")


@pytest.mark.parametrize("url", ["https://example.com", "https://example.com?q", "HTTP://a.b#f"])
def test_url_without_path(url: str) -> None:
    """A URL without path means `/`."""
    assert ROBOTS.decide(url, "x").target.startswith("/")


@pytest.mark.parametrize("url", ["", "example.com/a", "a", "mailto:a@b", "\0", "http://", "?q"])
def test_googlebot_cpp_takes_any_url(url: str) -> None:
    """Google's parser splits any text, and so does its dialect."""
    robots = verger.parse(b"User-agent: *\nDisallow: /\n", dialect="googlebot-cpp")

    assert not robots.allowed(url, "x")


@pytest.mark.parametrize("url", ["example.com", "/robots.txt", "", "https://", "https://a:b/"])
def test_invalid_url_of_a_file(url: str) -> None:
    """A file's own URL needs a scheme and an authority."""
    with pytest.raises(verger.InvalidTarget) as raised:
        verger.parse(b"", url=url)

    assert raised.value.message.startswith(f"`{url}` is not a URL")
    assert "https:///" not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    ["http://example.com/", "https://www.example.com/", "https://example.com:8443/", "ftp://a/"],
)
def test_out_of_scope(url: str) -> None:
    """A file that knows its URL refuses a question about another origin, in every call."""
    for call in askers(SCOPED):
        with pytest.raises(verger.OutOfScope) as raised:
            call(url)

        assert raised.value.message.startswith(f"`{url}` is out of the scope of ")
        assert "governs only `https://example.com` (RFC 9309 section 2.3)" in raised.value.message
        assert raised.value.hint
    assert not SCOPED.governs(url)


@pytest.mark.parametrize(
    "url", ["/a", "https://EXAMPLE.com:443/a", "https://user:secret@example.com/a"]
)
def test_in_scope(url: str) -> None:
    """A path is always of the file's own origin; case, default port and userinfo are nothing."""
    assert SCOPED.governs(url)
    assert SCOPED.allowed(url, "x")


# Names


@pytest.mark.parametrize(
    ("call", "message", "hint"),
    [
        (
            lambda: parse(b"", dialect="rfc9039"),
            "unknown dialect `rfc9039`",
            "did you mean `rfc9309`?",
        ),
        (
            lambda: parse(b"", dialect="Google"),
            "unknown dialect `Google`",
            "did you mean `google`?",
        ),
        (
            lambda: parse(b"", dialect="GOOGLE"),
            "unknown dialect `GOOGLE`",
            "did you mean `google`?",
        ),
        (lambda: replace(ties="allow"), "unknown knob `ties`", "did you mean `tie`?"),
        (
            lambda: replace(tie="disalow"),
            "`disalow` is not a value of `tie`: expected one of `allow`, `disallow`",
            "did you mean `disallow`?",
        ),
        (
            lambda: replace(extensions=("sitemp",)),
            "unknown extension field `sitemp`",
            "did you mean `sitemap`?",
        ),
        (
            lambda: replace(equate_reserved_escapes="yes"),
            "`yes` is not a value of `equate_reserved_escapes`: expected True or False",
            None,
        ),
    ],
)
def test_unknown_name(call: Callable[[], object], message: str, hint: str | None) -> None:
    """An unknown dialect, knob or value is told, with the close match as hint."""
    with pytest.raises(verger.UnknownName) as raised:
        call()

    assert message == raised.value.message
    assert hint == raised.value.hint


def test_far_off_name_lists_all() -> None:
    """Where nothing is close, the hint lists what there is."""
    with pytest.raises(verger.UnknownName) as raised:
        verger.parse(b"", dialect="semrush")

    assert [f"`{name}`" in str(raised.value.hint) for name in verger.DIALECTS] == [True] * 8


@pytest.mark.parametrize("value", [-1, 1.5, "1", True, 10**30])
def test_limits_are_numbers(value: object) -> None:
    """A limit is a number that is not negative, or None."""
    with pytest.raises((verger.UnknownName, TypeError), match="parse_limit"):
        replace(parse_limit=value)


# Types


@pytest.mark.parametrize("body", [None, 1, 1.5, ["User-agent: *"], object()])
def test_body_of_another_type(body: object) -> None:
    """`parse` says what it expected; what it takes is bytes or text."""
    name = type(body).__name__
    message = f"`body` must be bytes, bytearray, str or a memoryview of bytes, not {name}"
    with pytest.raises(TypeError) as raised:
        parse(body)

    assert message == str(raised.value)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: parse(b"", dialect=3), "`dialect` must be a name or a Dialect, not int"),
        (lambda: parse(b"", dialect=None), "`dialect` must be a name or a Dialect, not NoneType"),
        (lambda: parse(b"", url=3), "`url` must be str, not int"),
        (lambda: allowed(None, "x"), "`url` must be str, not NoneType"),
        (lambda: allowed(b"/a", "x"), "`url` must be str, not bytes"),
        (lambda: allowed("/a", None), "`token` must be a str or a sequence of str, not NoneType"),
        (lambda: allowed("/a", b"x"), "`token` must be a str or a sequence of str, not bytes"),
        (lambda: allowed("/a", ["x", 1]), "`token` must be str, not int"),
        (lambda: allowed_many("/a", "x"), "`urls` must be an iterable of str, not str"),
        (lambda: allowed_many(None, "x"), "`urls` must be an iterable of str, not NoneType"),
        (lambda: allowed_many(["/a", 1], "x"), "`url` must be str, not int"),
        (lambda: untyped(verger.product_token)(b"x"), "`header` must be str, not bytes"),
        (lambda: untyped(ROBOTS.governs)(None), "`url` must be str, not NoneType"),
        (lambda: untyped(ROBOTS.clean)(None), "`url` must be str, not NoneType"),
    ],
)
def test_wrong_type(call: Callable[[], object], expected: str) -> None:
    """A value of another type is a TypeError that says what was expected."""
    with pytest.raises(TypeError) as raised:
        call()

    assert expected == str(raised.value)


def test_options_are_keywords() -> None:
    """What follows the subject of a call is named."""
    with pytest.raises(TypeError):
        parse(b"", "google")


@pytest.mark.parametrize("name", ["RobotsTxt", "Agent", "Decision", "Dialect", "Knob"])
def test_results_are_not_made_by_hand(name: str) -> None:
    """Only `parse` makes files, and only files make answers."""
    with pytest.raises(TypeError, match="cannot create"):
        untyped(getattr(verger, name))()


@pytest.mark.parametrize(
    "body", [b"x", bytearray(b"x"), memoryview(b"xy")[:1], memoryview(b"x-")[::2], "x"]
)
def test_bodies(body: bytes | bytearray | memoryview | str) -> None:
    """Bytes come in any buffer, and text is encoded as UTF-8."""
    assert verger.parse(body).body == b"x"


def test_lone_surrogates_in_text() -> None:
    """Text that was decoded with `surrogateescape` gives its bytes back."""
    assert verger.parse("\udcff").body == b"\xff"


# The classes


def test_tree_is_as_drawn() -> None:
    """The classes stand as the drawing in the module's docstring says."""
    lines = [line.strip() for line in str(errors.__doc__).splitlines()]
    drawn = {line.lstrip("| +").split()[0] for line in lines if "+ " in line}
    classes = {getattr(errors, name) for name in errors.__all__} - {errors.RobotsError}

    assert {as_drawn(found) for found in classes} == drawn
    assert all(issubclass(found, errors.RobotsError) for found in classes)


def as_drawn(found: type) -> str:
    """Return a class as the drawing has it: with the built-in exception that it also is."""
    builtin = [base.__name__ for base in found.__bases__[1:]]
    return found.__name__ + (f"({builtin[0]})" if builtin else "")


@pytest.mark.parametrize("name", errors.__all__)
def test_error_without_hint(name: str) -> None:
    """Without a hint the text is the message alone; the hint is None, not missing."""
    error = getattr(errors, name)("what happened")

    assert str(error) == error.message == "what happened"
    assert error.hint is None


@pytest.mark.parametrize("name", ["verger", "verger.files.parquet"])
def test_own_names_are_in_no_extra(name: str) -> None:
    """An import of verger's own that fails is not mended by an extra, and says what failed."""
    with pytest.raises(ImportError) as raised, errors.MissingExtra.unless_installed("x", "it"):
        raise ImportError("cannot import it", name=name)

    assert not isinstance(raised.value, errors.MissingExtra)


@pytest.mark.parametrize("name", ["pyarrow", "vergers", None])
def test_names_of_others_are_in_an_extra(name: str | None) -> None:
    """An import of another package that fails is an error with the extra."""
    with (
        pytest.raises(errors.MissingExtra, match="it needs packages"),
        errors.MissingExtra.unless_installed("x", "it"),
    ):
        raise ImportError("cannot import it", name=name)


MEGABYTES = 4
LONG_TEXTS = [
    *("x" * MEGABYTES * 2**20, "\u00e9" * MEGABYTES * 2**19, "\0" * MEGABYTES * 2**20),
    *("\udcff" * MEGABYTES * 2**20, "a," * MEGABYTES * 2**19, "/" * MEGABYTES * 2**20),
]
LONG_REFUSERS: dict[str, Callable[[str], object]] = REFUSERS | {
    "text without scheme": lambda text: ROBOTS.decide(f"x{text}", "a"),
    "token": lambda text: ROBOTS.agent(f"a/{text}"),
    "origin": lambda text: verger.Origin(f"http://{text}"),
    "field": lambda text: replace(extensions=(text,)),
}


@pytest.mark.parametrize("text", LONG_TEXTS, ids=lambda text: ascii(text[:1]))
@pytest.mark.parametrize("refuser", LONG_REFUSERS)
def test_long_text_is_refused_in_few_steps(refuser: str, text: str) -> None:
    """A refusal does not walk through the text; its message shows the beginning."""

    def refuse() -> str:
        with pytest.raises(verger.RobotsError) as raised:
            LONG_REFUSERS[refuser](text)
        return str(raised.value)

    assert len(refuse()) < 2_000
    assert steps_of(refuse) < 20_000
