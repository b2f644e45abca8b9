"""Asking a client: what is fetched, how long it stands, and what the answer says of itself."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest

import verger
from client.stage import (
    BOT,
    DAY,
    FILE,
    HOUR,
    MINUTE,
    NOW,
    PAGE,
    SECRET,
    SITE,
    Stage,
    Web,
    dialects,
    found,
    moved,
    run,
    stage,
)
from verger.access.policy import SiteFacts
from verger.access.result import Failure
from verger.client import AsyncClient
from verger.errors import InvalidTarget, RobotsError, UnknownName
from verger.fetching.limits import FetchLimits
from verger.fetching.transport import HopFailed, Reply, Request
from verger.testing import client

OPEN = b"User-agent: *\nDisallow:\n"


def fails(failure: Failure) -> Callable[[Request], Reply]:
    def serve(_: Request) -> Reply:
        raise HopFailed(failure, "as the test has it")

    return serve


# Answers


def test_answer_of_a_rule() -> None:
    """An answer carries the rule, its line, the fetch it rests on, and how old that is."""
    on = stage()

    async def ask() -> verger.Answer:
        await on.client.allowed(PAGE)
        on.clock.now += 90
        return await on.client.decide(SECRET)

    answer = run(ask())

    assert not answer.allowed
    assert (answer.url, answer.origin) == (SECRET, SITE)
    assert (answer.line, answer.reason) == (2, "MOST_SPECIFIC_RULE")
    assert answer.rule is not None
    assert answer.rule.pattern == "/private"
    assert answer.group is not None
    assert answer.group.product_tokens == ("*",)
    assert answer.section == "RFC 9309 section 2.2.2"
    assert (answer.access.effect, answer.access.reason) == ("rules", "SUCCESSFUL")
    assert answer.result is not None
    assert answer.result.body == FILE
    assert answer.age == 90.0


def test_answer_of_the_policy() -> None:
    """Where no rule was asked, the reason and the section are those of the access policy."""
    answer = run(stage(503).client.decide(PAGE))

    assert not answer.allowed
    assert (answer.reason, answer.section) == ("SERVER_ERROR", "RFC 9309 section 2.3.1.4")
    assert (answer.decision, answer.line, answer.rule, answer.group) == (None, None, None, None)
    assert answer.result is not None
    assert answer.result.status == 503


def test_answer_is_neither_true_nor_false() -> None:
    """`if client.decide(url)` would always be taken, and says so."""
    answer = run(stage().client.decide(SECRET))

    with pytest.raises(TypeError, match=r"answer\.allowed"):
        bool(answer)


@pytest.mark.parametrize(
    ("served", "allowed", "reason"),
    [
        (b"", True, "NO_GROUP"),
        (404, True, "UNAVAILABLE"),
        (403, True, "FORBIDDEN"),
        (429, False, "TOO_MANY_REQUESTS"),
        (500, False, "SERVER_ERROR"),
        (304, False, "UNDEFINED_STATUS"),
        (700, False, "UNDEFINED_STATUS"),
        (204, True, "NO_GROUP"),
        (206, False, "BROKEN_BODY"),
        ("dns", False, "NETWORK_ERROR"),
        ("timeout", False, "NETWORK_ERROR"),
        ("tls", False, "NETWORK_ERROR"),
        (Reply(200, [], FILE, ended="broken"), False, "BROKEN_BODY"),
        (found(b"\x00", Content_Encoding="br"), False, "BROKEN_BODY"),
        (moved("ftp://example.com/"), False, "REDIRECT_REFUSED"),
        (moved("/robots.txt"), True, "TOO_MANY_REDIRECTS"),
    ],
    ids=str,
)
def test_whatever_happens_is_an_answer(served: Any, allowed: bool, reason: str) -> None:
    """Statuses, failures and broken files are answers with a reason, never exceptions."""
    answer = run(stage(served).client.decide(PAGE))

    assert (allowed, reason) == (answer.allowed, answer.reason)


@pytest.mark.parametrize("name", dialects())
def test_one_answer_in_three_ways(name: str) -> None:
    """`allowed`, `decide` and the site say the same, in every dialect and after every reply."""
    for served in (FILE, OPEN, b"", 200, 401, 404, 429, 500, "reset", moved("https://a.example/")):
        on = stage(served, dialect=name)

        async def ask(client: AsyncClient = on.client) -> set[bool]:
            site = await client.site(SECRET)
            answer = await client.decide(SECRET)
            return {await client.allowed(SECRET), answer.allowed, site.allowed(SECRET)}

        assert len(run(ask())) == 1


def test_what_the_file_says_besides() -> None:
    """The file, its sitemaps and its delay are at hand where rules bind, and nothing where not."""
    file = b"Sitemap: https://example.com/s.xml\nUser-agent: *\nCrawl-delay: 2.5\n"
    other = f"{SITE}:8080/"

    async def ask() -> list[object]:
        client = stage(file).client
        robots = await client.robots(PAGE)
        return [
            robots and robots.body,
            await client.robots(other),
            await client.sitemaps(PAGE),
            await client.sitemaps(other),
            await client.crawl_delay(PAGE),
            await client.crawl_delay(other),
        ]

    assert run(ask()) == [file, None, ("https://example.com/s.xml",), (), 2.5, None]


# What is asked


@pytest.mark.parametrize(
    "url",
    [
        *("", "/page", "page", "mailto:a@example.com", "https://", "https://[::1", "javascript:1"),
        *("http://a\uff0fb/", "http://\u200b/", "http://a%2fb/", "http://a\uff20b/"),
    ],
)
def test_no_url(url: str) -> None:
    """What is not an absolute URL of a scheme with robots.txt is misuse, whoever is asked."""
    client = stage().client

    async def ask() -> int:
        errors = 0
        for question in (client.allowed, client.decide, client.site, client.robots, client.refresh):
            with pytest.raises(InvalidTarget):
                await question(url)
            errors += 1
        with pytest.raises(InvalidTarget):
            await client.prefetch([PAGE, url])
        return errors

    assert run(ask()) == 5


def test_one_file_for_each_origin() -> None:
    """Scheme, host in A-label form and port tell origins apart; path and user do not."""
    urls = [
        "https://example.com",
        "HTTPS://user:pw@EXAMPLE.com:443/a?b#c",
        "http://example.com/",
        "https://example.com:8443/",
        "https://exämple.example/",
        "https://xn--exmple-cua.example/b",
        "ftp://example.com/",
    ]
    web = Web(default=FILE)
    client = stage(web=web).client

    async def ask() -> None:
        for url in urls:
            await client.allowed(url)

    run(ask())

    assert web.asked == [
        "https://example.com/robots.txt",
        "http://example.com/robots.txt",
        "https://example.com:8443/robots.txt",
        "https://xn--exmple-cua.example/robots.txt",
        "ftp://example.com/robots.txt",
    ]


def test_prefetch() -> None:
    """Every origin is fetched once, many at a time; what is fresh is not fetched again."""
    web = Web(default=FILE)
    on = stage(web=web)
    urls = [f"https://{n % 1_500}.example/{n}" for n in range(3_000)]

    async def ask() -> None:
        await on.client.allowed(urls[7])
        await on.client.prefetch(urls)
        await on.client.prefetch(urls)

    run(ask())

    assert len(web.asked) == len(set(web.asked)) == 1_500


def test_rules_of_the_first_origin() -> None:
    """A file behind redirects binds the origin that was asked for, not the one it came from."""
    web = Web({SITE: moved("https://other.example/robots.txt"), "https://other.example": FILE})
    client = stage(web=web).client

    async def ask() -> tuple[bool, int]:
        closed = await client.allowed(SECRET)
        return closed, len(web.asked)

    assert run(ask()) == (False, 2)


# Freshness


def times_asked(on: Stage, *seconds: float) -> list[int]:
    """Return how many requests had gone out after questions at some times from `NOW` on."""

    async def ask() -> list[int]:
        counts = []
        for after in seconds:
            on.clock.now = NOW + after
            await on.client.allowed(PAGE)
            counts.append(len(on.web.requests))
        return counts

    return run(ask())


@pytest.mark.parametrize(
    ("dialect", "fields", "lifetime"),
    [
        ("rfc9309", {}, DAY),
        ("rfc9309", {"Cache_Control": "max-age=600"}, 600),
        ("rfc9309", {"Cache_Control": "max-age=600", "Age": "500"}, 100),
        ("rfc9309", {"Cache_Control": "max-age=999999"}, DAY),
        ("google", {"Cache_Control": "max-age=999999"}, 999_999),
        ("bing", {"Cache_Control": "max-age=999999"}, DAY),
        ("original-1994", {}, 7 * DAY),
        ("koster-1996", {"Cache_Control": "max-age=1000"}, 1_000),
        ("rfc9309", {"Cache_Control": "no-store"}, MINUTE),
        ("rfc9309", {"Cache_Control": "max-age=0"}, MINUTE),
        ("rfc9309", {"Cache_Control": "max-age=nonsense"}, MINUTE),
        ("rfc9309", {"Expires": "Thu, 01 Jan 1970 00:00:00 GMT"}, MINUTE),
    ],
    ids=str,
)
def test_lifetime(dialect: str, fields: dict[str, str], lifetime: int) -> None:
    """A file stands as long as its server says, within the dialect's bounds, a minute at least."""
    on = stage(found(**fields), dialect=dialect)

    assert times_asked(on, 0, lifetime - 1, lifetime, 2 * lifetime - 1) == [1, 1, 2, 2]


@pytest.mark.parametrize("least", [0.0, 5.0, 3_600.0])
def test_least_fresh(least: float) -> None:
    """`least_fresh` says for how long `max-age=0` is not listened to; 0 for every question anew."""
    on = stage(found(Cache_Control="max-age=0"), least_fresh=least)

    assert times_asked(on, 0, max(0, least - 1), least, least) == (
        [1, 1, 2, 2] if least else [1, 2, 3, 4]
    )


def test_404_stands_like_a_file() -> None:
    """That there is no file is as good an answer as a file, for as long."""
    assert times_asked(stage(404), 0, DAY - 1, DAY) == [1, 1, 2]


@pytest.mark.parametrize("served", [500, 429, 304, "dns", "timeout", moved("mailto:a@b")], ids=str)
def test_failures_are_asked_again(served: Any) -> None:
    """After one minute, then doubling up to four hours."""
    waits = [60, 120, 240, 480, 960, 1_920, 3_840, 7_680, 14_400, 14_400]
    at = [sum(waits[:n]) for n in range(len(waits) + 1)]
    questions = [moment for start in at[1:] for moment in (start - 1, start)]

    assert times_asked(stage(served), 0, *questions) == [
        1,
        *(count for n in range(1, len(at)) for count in (n, n + 1)),
    ]


@pytest.mark.parametrize(
    ("asked_for", "seconds"),
    [
        ("5", 10),
        ("100", 100),
        ("9" * 30, DAY),
        ("Sun, 01 Mar 2026 12:10:00 GMT", 600),
        ("soon", 60),
        ("-1", 60),
    ],
)
@pytest.mark.parametrize("status", [503, 429])
def test_retry_after(status: int, asked_for: str, seconds: int) -> None:
    """A server may ask for another time, between ten seconds and a day."""
    on = stage(Reply(status, [("Retry-After", asked_for)]))

    assert times_asked(on, 0, seconds - 1, seconds) == [1, 1, 2]


def test_back_after_failures() -> None:
    """The first good answer ends the run of failures: the next one begins at a minute."""
    on = stage(503)
    times_asked(on, 0, 60, 180)
    on.web.sites[SITE] = found(Cache_Control="max-age=60")
    times_asked(on, 420)
    on.web.sites[SITE] = 503

    assert times_asked(on, 480, 539, 540, 659, 660) == [5, 5, 6, 6, 7]


def test_refresh() -> None:
    """A fresh file is fetched all the same when that is asked for."""
    on = stage()

    async def ask() -> list[bool]:
        before = await on.client.allowed(SECRET)
        on.web.sites[SITE] = OPEN
        stands = await on.client.allowed(SECRET)
        site = await on.client.refresh(PAGE)
        return [before, stands, site.allowed(SECRET), await on.client.allowed(SECRET)]

    assert run(ask()) == [False, False, True, True]
    assert len(on.web.requests) == 2


# Renewal


def conditional(request: Request) -> Reply:
    """A server that knows of validators."""
    if request.headers.get("If-None-Match") == '"1"':
        return Reply(304, [("Cache-Control", "max-age=7200"), ("ETag", '"1"')])
    return found(ETag='"1"', Cache_Control="max-age=3600", Age="600")


def test_renewal() -> None:
    """A stale file is asked for on condition; 304 makes it fresh, for as long as the 304 says."""
    on = stage(conditional)

    assert times_asked(on, 0, 2_999, 3_000, 3_000 + 7_199, 3_000 + 7_200) == [1, 1, 2, 2, 3]
    assert [kind for kind, _ in on.told] == ["fetched", "renewed", "renewed"]
    assert not run(on.client.allowed(SECRET))


@pytest.mark.parametrize("name", dialects())
def test_who_asks_on_condition(name: str) -> None:
    """Google sends no validators; the others do, but for a file that was not found."""
    on = stage(conditional, dialect=name)
    times_asked(on, 0, 40 * DAY)

    asks = not name.startswith("google")
    assert [False, asks] == ["If-None-Match" in request.headers for request in on.web.requests]


# The operator's word, and what it knows


@pytest.mark.parametrize(
    ("word", "open_page", "secret"),
    [("allow", True, True), ("disallow", False, False), (FILE, True, False), (b"", True, True)],
)
def test_override(word: Any, open_page: bool, secret: bool) -> None:
    """An override answers without a request, whichever way its URL is written, for ever."""
    on = stage(OPEN, overrides={"HTTPS://Example.com:443/some/page": word})

    async def ask() -> list[bool]:
        told = [await on.client.allowed(PAGE), await on.client.allowed(SECRET)]
        on.clock.now += 400 * DAY
        site = await on.client.refresh(PAGE)
        return [*told, await on.client.allowed(PAGE), site.allowed(SECRET)]

    answer = run(on.client.decide(SECRET))

    assert run(ask()) == [open_page, secret, open_page, secret]
    assert on.web.requests == []
    assert run(on.client.site(PAGE)).binding_body == {"allow": b"", "disallow": None}.get(
        word, word
    )
    assert answer.access.reason == "OPERATOR_OVERRIDE"
    assert (answer.result, answer.age) == (None, None)


def test_override_leaves_other_origins_alone() -> None:
    """An override is for one origin: another port is another site."""
    on = stage(web=Web(default=FILE), overrides={SITE: "allow"})

    assert not run(on.client.allowed(f"{SITE}:8443/private"))


@pytest.mark.parametrize("word", ["alow", "", "User-agent: *\nDisallow: /", None, 1])
def test_override_that_is_none(word: Any) -> None:
    """A slip in an override is told at once, and closes or opens nothing."""
    with pytest.raises(RobotsError, match=r"invalid override for `https://example\.com`") as caught:
        stage(overrides={SITE: word})

    assert caught.value.hint == 'pass "allow", "disallow" or the bytes of a file'


def test_facts() -> None:
    """What the caller knows of a site counts where a dialect asks for it."""
    facts = {PAGE: SiteFacts(errors_for_missing=True)}

    assert run(stage(503, dialect="google", facts=facts).client.allowed(PAGE))
    assert not run(stage(503, dialect="google").client.allowed(PAGE))
    assert not run(stage(503, facts=facts).client.allowed(PAGE))


# Redirects to closed URLs

AWAY = "https://away.example"


def test_redirect_to_a_closed_url() -> None:
    """Google takes a file behind a URL it knows to be closed for one that is not there."""
    sites = {
        SITE: moved(f"{AWAY}/private/robots.txt"),
        f"{AWAY}/private/robots.txt": b"User-agent: *\nDisallow: /\n",
        AWAY: FILE,
    }

    async def ask(dialect: str) -> str:
        client = stage(web=Web(sites), dialect=dialect).client
        await client.allowed(f"{AWAY}/")
        return (await client.decide(PAGE)).reason

    assert run(ask("google")) == "REDIRECT_DISALLOWED"
    assert run(ask("rfc9309")) == "MOST_SPECIFIC_RULE"


@pytest.mark.parametrize("name", dialects())
def test_a_file_does_not_close_its_own_way(name: str) -> None:
    """A site that moves its file below what the file closes is not opened when it is renewed."""
    sites = {SITE: moved("/real.txt"), f"{SITE}/real.txt": b"User-agent: *\nDisallow: /\n"}
    on = stage(web=Web(sites), dialect=name)

    async def ask() -> list[bool]:
        allowed = []
        for _ in range(4):
            allowed.append(await on.client.allowed(PAGE))
            on.clock.now += 8 * DAY
        return allowed

    assert run(ask()) == [False] * 4
    assert len(on.web.requests) == 8


@pytest.mark.parametrize("name", dialects())
@pytest.mark.parametrize(
    "location",
    ["http://\u200b/", "http://away.example\uff0fx/", "http://\u00ad", "http://a\uff05b/x"],
    ids=ascii,
)
def test_redirect_to_what_is_not_a_host(name: str, location: str) -> None:
    """A `Location` whose host is none is a refused redirect in every dialect, never an error."""
    on = stage(web=Web({SITE: moved(location)}), dialect=name)
    answer = run(on.client.decide(PAGE))

    assert answer.result
    assert (answer.result.failure, answer.result.redirects) == ("redirect-invalid", ())
    assert on.web.asked == [f"{SITE}/robots.txt"]


# What is requested

BASKET = b"User-agent: *\nDisallow: /basket\nDisallow: /x/\n"


@pytest.mark.parametrize("name", dialects())
@pytest.mark.parametrize(
    ("path", "allowed", "judged"),
    [
        ("/y/../basket", False, "/basket"),
        ("/y/%2e%2e/basket", False, "/basket"),
        ("/y/.%2E/./basket", False, "/basket"),
        ("/x/../page", True, "/page"),
        ("/page?/../basket", True, "/page?/../basket"),
        ("/page#/../basket", True, "/page"),
        ("/y/..basket", True, "/y/..basket"),
    ],
)
def test_dot_segments(name: str, path: str, allowed: bool, judged: str) -> None:
    """A client judges the URL that is requested, as a file does; Google's parser the given one."""
    client = stage(BASKET, dialect=name).client
    dialect = verger.DIALECTS[name]
    if dialect.dot_segments == "keep" and "/../" not in path.partition("?")[2]:
        judged = path.partition("#")[0]
        allowed = not judged.startswith(("/basket", "/x/"))

    async def ask() -> tuple[verger.Answer, bool]:
        return await client.decide(SITE + path), await client.allowed(SITE + path)

    answer, is_allowed = run(ask())

    assert answer.decision is not None
    assert (answer.url, answer.decision.url) == (SITE + path, SITE + path)
    assert (answer.allowed, is_allowed) == (allowed, allowed)
    assert verger.parse(BASKET, dialect=dialect).allowed(SITE + path, "ExampleBot") == allowed
    if dialect.query:
        assert answer.decision.target == judged


# Making a client


def test_unknown_dialect() -> None:
    """A dialect that is none is told when the client is made."""
    with pytest.raises(UnknownName):
        AsyncClient(BOT, dialect="rfc9310", transport=Web())


def test_dialect_of_ones_own() -> None:
    """A dialect may be a value, with knobs turned."""
    closed = verger.RFC9309.replace(forbidden="disallow")

    assert not run(stage(403, dialect=closed).client.allowed(PAGE))


def test_limits() -> None:
    """Bytes kept and read are those of the limits, else those that the dialect reads."""
    on = stage(limits=FetchLimits(body_bytes=1_000, small_limits=True))
    run(on.client.allowed(PAGE))
    default = stage()
    run(default.client.allowed(PAGE))

    assert on.web.requests[0].body_limit == 1_000 + 1_024
    assert default.web.requests[0].body_limit == 512_000 + 1_024


def test_clock_set_back() -> None:
    """A file that is younger than now, since the clock was set back, has no age."""
    on = stage()

    async def ask() -> float | None:
        await on.client.allowed(PAGE)
        on.clock.now -= HOUR
        return (await on.client.decide(PAGE)).age

    assert run(ask()) == 0.0


def test_site_is_asked_by_another_crawler() -> None:
    """Its own group binds it; where the policy speaks, it speaks to all."""
    rules = b"User-agent: ExampleBot\nDisallow: /\n\nUser-agent: OtherBot\nDisallow: /private\n"

    site = run(stage(rules).client.site(PAGE))
    closed = run(stage(503).client.site(PAGE))

    assert not site.allowed(PAGE)
    assert site.asked_by(["OtherBot"]).allowed(PAGE)
    assert not site.asked_by(["OtherBot"]).allowed(SECRET)
    other = closed.asked_by(["OtherBot"]).decide(PAGE)
    assert (other.allowed, other.reason) == (False, "SERVER_ERROR")
    assert other.as_dict()["tokens"] == ("OtherBot",)


# Values


def test_answers_and_sites_are_values() -> None:
    """They can be members of a set, and what comes out of a pickle equals what went in."""
    with client({SITE: FILE, "https://down.example": 503}) as web:
        answers = [web.decide(PAGE), web.decide("https://down.example/")]
        sites = [web.site(PAGE), web.site("https://down.example/")]
    values = [*answers, *(answer.result for answer in answers), *sites]
    again = pickle.loads(pickle.dumps(values))

    assert values == again
    assert len(values) == len({*values, *again})


def test_a_site_is_frozen() -> None:
    """Nobody changes what another thread reads."""
    with client({SITE: FILE}) as web, pytest.raises(AttributeError):
        web.site(PAGE).fresh_until = 0.0  # type: ignore[misc]
