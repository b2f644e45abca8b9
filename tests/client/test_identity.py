"""Who a client says it is: its identification string, its product token, its header fields."""

import warnings
from collections.abc import Mapping, Sequence

import pytest

from client.stage import BOT, PAGE, SECRET, SITE, Web, found, moved, run, stage
from verger.client import AsyncClient, Client
from verger.client.identity import TokenNotSent
from verger.errors import InvalidProductToken, MissingUserAgent, RobotsError
from verger.fetching.transport import Reply, Request


def sent(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the header fields of a client's first request."""
    on = stage(headers=headers)
    run(on.client.allowed(PAGE))
    return on.web.requests[0].headers


@pytest.mark.parametrize("kind", [AsyncClient, Client])
@pytest.mark.parametrize("user_agent", [None, "", "  "])
def test_missing_user_agent(kind: type, user_agent: str | None) -> None:
    """A client without an identification string is refused, with an example of a good one."""
    with pytest.raises(MissingUserAgent) as caught:
        kind(user_agent)

    assert str(caught.value) == (
        "`user_agent` is required: it identifies the crawler to servers "
        "(RFC 9309 section 2.2.1)\n"
        'hint: pass one with a way to contact you: "ExampleBot/1.0 (+https://example.com/bot)"'
    )


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [
        (BOT, "ExampleBot"),
        ("ExampleBot", "ExampleBot"),
        ("Mozilla/5.0 (compatible; ExampleBot/0.1; +https://example.com/bot)", "ExampleBot"),
        ("news-crawler_x/2", "news-crawler_x"),
    ],
)
def test_token_is_taken_from_the_user_agent(user_agent: str, token: str) -> None:
    """The product token is the one that the identification string names."""
    assert AsyncClient(user_agent, transport=Web()).identity.tokens == (token,)


@pytest.mark.parametrize("user_agent", ["(nothing)", "/1.0", "; x", "My Bot", "My Bot 1.0"])
def test_no_token_in_the_user_agent(user_agent: str) -> None:
    """A string that names no token needs one beside it, and the error shows how."""
    with pytest.raises(InvalidProductToken, match=r"ExampleBot/1\.0") as caught:
        AsyncClient(user_agent, transport=Web())

    assert user_agent in caught.value.message
    assert AsyncClient(user_agent, token="a", transport=Web()).identity.tokens == ("a",)


@pytest.mark.parametrize(
    "token", ["", "a b", "a/1.0", "a,b", "a|b", "a:", "a\0", [], ["a", "b c"], ["a", ""], ["a,b"]]
)
def test_invalid_token(token: str | Sequence[str]) -> None:
    """A token that can stand in no file is told when the client is made."""
    with pytest.raises(InvalidProductToken):
        AsyncClient(BOT, token=token, transport=Web())


def test_tokens_are_those_of_the_dialect() -> None:
    """Where a dialect cuts versions itself, a token may have one."""
    client = AsyncClient(BOT, token="a/1.0", dialect="koster-1996", transport=Web())

    assert client.identity.tokens == ("a/1.0",)
    with pytest.raises(InvalidProductToken):
        AsyncClient(BOT, token="a,b", dialect="koster-1996", transport=Web())


def test_tokens_in_order_of_preference() -> None:
    """Several tokens: all that the file names, or the first of them, as the dialect has it."""
    file = b"User-agent: news\nDisallow: /private\n\nUser-agent: bot\nDisallow: /\n"

    def allowed(url: str, dialect: str, *tokens: str) -> bool:
        return run(stage(file, token=tokens, dialect=dialect).client.allowed(url))

    assert allowed(PAGE, "google", "news", "bot")
    assert not allowed(PAGE, "rfc9309", "news", "bot")
    assert not allowed(PAGE, "google", "images", "bot")
    assert not allowed(SECRET, "google", "news")


def test_headers() -> None:
    """Requests carry the identification string and the caller's fields, each once."""
    headers = sent({"From": "bot@example.com", "accept": "text/*", "X-Crawl_Id": "7"})

    assert headers == {
        "User-Agent": BOT,
        "From": "bot@example.com",
        "Accept": "text/*",
        "X-Crawl_Id": "7",
        "Accept-Encoding": "gzip, deflate",
    }


@pytest.mark.parametrize(
    "name",
    ["Range", "accept-encoding", "If-None-Match", "HOST", "Content-Length", "Transfer-Encoding"],
)
def test_fields_that_are_not_the_callers(name: str) -> None:
    """What would change which file is asked for, or how it is coded, is refused."""
    with pytest.raises(RobotsError, match=f"`{name}` cannot be set\nhint: leave it out"):
        stage(headers={name: "x"})


def test_user_agent_among_the_headers() -> None:
    """A second identification string is refused, in any case."""
    with pytest.raises(RobotsError, match="pass it as `user_agent`"):
        stage(headers={"user-agent": "Other/1.0"})


@pytest.mark.parametrize("name", ["", " ", "a b", "a:", "a\r\nb", "ä", "-", "a\x00"])
def test_names_that_are_none(name: str) -> None:
    """A field name that would end its line, or is none, is refused."""
    with pytest.raises(RobotsError, match="is not a name of a header field") as raised:
        stage(headers={name: "x"})

    assert raised.value.message.isprintable()


@pytest.mark.parametrize("value", ["a\r\nHost: b", "a\nb", "a\rb", "\x00", "a\x7f", "漢", "\udc80"])
def test_values_that_would_break_a_request(value: str) -> None:
    """Nothing gets a second line into a request: neither a field nor the user agent."""
    with pytest.raises(RobotsError, match="the value of the header field `X-A` cannot be sent"):
        stage(headers={"X-A": value})
    with pytest.raises(RobotsError, match="the value of the header field `User-Agent`"):
        AsyncClient(f"ExampleBot/1.0 {value}", transport=Web())


def test_errors_are_of_one_kind() -> None:
    """Whoever catches RobotsError catches everything that a client is refused for."""
    for options in ({"token": ""}, {"headers": {"": ""}}, {"overrides": {SITE: "x"}}):
        with pytest.raises(RobotsError):
            stage(**options)


OTHER = "https://other.example"
CREDENTIALS = {"Authorization": "Bearer a", "Cookie": "b=c", "Proxy-Authorization": "Basic d"}
CHAINS = {
    "elsewhere": [f"{OTHER}/robots.txt"],
    "another scheme": ["http://example.com/robots.txt"],
    "another port": ["https://example.com:8443/robots.txt"],
    "there and back": [f"{OTHER}/a", f"{SITE}/b"],
    "within the site": [f"{SITE}/a", f"{SITE}/b"],
}
"""Where redirects lead from the file of `SITE`."""


def along(chain: str, **options: Mapping[str, object]) -> list[dict[str, str]]:
    """Return the header fields of each request of a fetch that follows a chain."""
    places = [f"{SITE}/robots.txt", *CHAINS[chain]]
    hops = [moved(place) for place in places[1:]] + [found()]

    def serve(_: Request) -> Reply:
        return hops[len(on.web.requests) - 1]

    on = stage(web=Web(default=serve), **options)
    run(on.client.allowed(PAGE))
    assert places == on.web.asked
    return [request.headers for request in on.web.requests]


@pytest.mark.parametrize("chain", CHAINS)
def test_credentials_stay_at_their_origin(chain: str) -> None:
    """A redirect to another origin drops them for good; other fields go along."""
    first, *others = along(chain, headers={**CREDENTIALS, "From": "a@example.com"})

    assert CREDENTIALS.items() <= first.items()
    for headers in others:
        kept = {name for name in CREDENTIALS if name in headers}
        assert kept == (set(CREDENTIALS) if chain == "within the site" else set())
        assert headers["From"] == "a@example.com"


@pytest.mark.parametrize("chain", CHAINS)
def test_fields_of_one_origin(chain: str) -> None:
    """They are sent there, and nowhere else; they replace those that are sent everywhere."""
    scoped = {SITE: {"x-api-key": "a"}, OTHER: {"X-Api-Key": "b", "Authorization": "Bearer c"}}

    requests = along(chain, headers={"X-Api-Key": "all"}, origin_headers=scoped)

    for place, headers in zip([f"{SITE}/", *CHAINS[chain]], requests, strict=True):
        keys = {name: value for name, value in headers.items() if name.lower() == "x-api-key"}
        own = next((scoped[name] for name in scoped if place.startswith(f"{name}/")), {})
        assert keys == (
            {n: v for n, v in own.items() if n != "Authorization"} or {"X-Api-Key": "all"}
        )
        assert headers.get("Authorization") == own.get("Authorization")


def test_a_user_in_a_url_is_never_sent() -> None:
    """Neither as a field nor in the URL of the request."""
    on = stage()
    run(on.client.allowed("https://user:secret@example.com/page"))

    (request,) = on.web.requests
    assert request.url == f"{SITE}/robots.txt"
    assert "Authorization" not in request.headers


@pytest.mark.parametrize(
    ("user_agent", "token", "warned"),
    [
        ("Mozilla/5.0 (X11)", "OtherBot", True),
        (BOT, "Other", True),
        (BOT, ["Other", "Another"], True),
        (BOT, ["Other", "examplebot"], False),
        (BOT, "*", False),
        (BOT, None, False),
    ],
)
def test_a_token_that_is_not_sent(
    user_agent: str, token: str | Sequence[str] | None, warned: bool
) -> None:
    """The caller is warned where the client is made: a site cannot see whose rules it follows."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Client(user_agent, token=token, transport=Web())

    assert [TokenNotSent] * warned == [warning.category for warning in caught]
    assert [__file__] * warned == [warning.filename for warning in caught]
