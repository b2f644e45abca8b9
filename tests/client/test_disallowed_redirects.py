"""Redirects to a URL that the rules of its origin disallow: what is asked, in any order.

In: sites whose files redirect to each other, and the order in which they are asked about. Out: the
answers and the requests. Google reads such a file as missing (How Google interprets the robots.txt
specification, handling of errors and HTTP status codes); other dialects follow.
"""

from itertools import permutations

import pytest

import verger
from client.stage import Web, moved, run, stage
from memory_store import MemoryStore
from support import NAMES
from verger.access.answer import Question
from verger.access.entry import Entry, policy_of
from verger.access.result import AccessResult
from verger.fetching.transport import HopFailed, Reply, Request
from verger.snapshots.sources import FetchedFile
from verger.testing import Served

A, B, C = ("https://a.example", "https://b.example", "https://c.example")
CLOSED = b"User-agent: *\nDisallow: /\n"
OPEN = b"User-agent: *\nDisallow: /private\n"
SITES = {A: "https://b.example/r.txt", B: "https://c.example/r.txt", C: "https://a.example/r.txt"}


def web_of(files: dict[str, Served]) -> Web:
    """Return a web with these robots.txt files; `/r.txt` closes everything, wherever it is."""
    web = Web(default=404)

    def serve(request: Request) -> Reply:
        if request.url.endswith("/r.txt"):
            return Reply(200, [("Content-Type", "text/plain")], CLOSED)
        served = files.get(request.url.removesuffix("/robots.txt"), 404)
        if isinstance(served, str):
            raise HopFailed(served, "as the test has it")  # type: ignore[arg-type]
        if isinstance(served, int):
            return Reply(served, ())
        return served if isinstance(served, Reply) else Reply(200, (), served)  # type: ignore[arg-type]

    web.default = serve
    return web


@pytest.mark.parametrize("dialect", NAMES)
def test_rules_that_nobody_has_asked_for(dialect: str) -> None:
    """The file of the target's origin is fetched first, by dialects whose answer hangs on it."""
    on = stage(web=web_of({A: moved(f"{B}/r.txt"), B: CLOSED}), dialect=dialect)

    answer = run(on.client.decide(f"{A}/x"))

    asks = dialect in ("google", "googlebot-cpp")
    assert answer.allowed == asks
    assert on.web.asked == [f"{A}/robots.txt", f"{B}/robots.txt" if asks else f"{B}/r.txt"]
    assert (answer.access.reason == "REDIRECT_DISALLOWED") == asks


OF_ONE = b"User-agent: ExampleBot\nDisallow: /r.txt\n"
"""Rules for the client's own crawler."""


@pytest.mark.parametrize("dialect", ["google", "googlebot-cpp"])
def test_what_one_crawler_may_not_follow_opens_nothing_for_others(dialect: str) -> None:
    """Others would follow, and nobody knows where to: in memory, and in a store."""
    store = MemoryStore()
    on = stage(web=web_of({A: moved(f"{B}/r.txt"), B: OF_ONE}), dialect=dialect, store=store)
    site = run(on.client.site(A))
    entry = run(store.load([A]))[A]
    kept = FetchedFile.of(entry, [Question(("Other",), verger.DIALECTS[dialect])], "cached", 0.0)
    [answer] = kept.answers(f"{A}/x", [Question(("Other",), verger.DIALECTS[dialect])])
    others = [site.asked_by(["Other"]), *kept.sites]
    others += [site.for_question(Question(("Other",), each)) for each in verger.DIALECTS.values()]

    assert (site.access.reason, site.allowed(f"{A}/x")) == ("REDIRECT_DISALLOWED", True)
    assert not answer.allowed
    for other in others:
        opens = other.question.dialect.name == "yandex"  # where anything but a 200 does
        assert (other.access.reason, other.allowed(f"{A}/x")) == ("REDIRECT_REFUSED", opens)


@pytest.mark.parametrize(("hops", "most", "reason"), [(1, 1, "TOO_MANY"), (1, 5, "REFUSED")])
def test_whoever_gave_up_sooner_knows_nothing(hops: int, most: int, reason: str) -> None:
    """A client that follows one redirect found no file; who follows five may find one."""
    seen = AccessResult(
        f"{A}/robots.txt", 0.0, 301, "too-many-redirects", redirects=(f"{B}/x",) * hops
    )
    dialect = verger.DIALECTS["rfc9309"].replace(max_redirects=most)
    assert reason in policy_of(Entry(A, seen), dialect).reason


@pytest.mark.parametrize(
    "file", [OPEN, 404, 503, "dns", moved(f"{B}/r.txt")], ids=["open", "404", "503", "dns", "own"]
)
def test_what_is_not_disallowed_is_followed(file: Served) -> None:
    """Rules that allow the target, and any file that cannot be read: no rule disallows it."""
    files = {A: moved(f"{B}/r.txt"), B: OPEN if isinstance(file, Reply) else file}
    on = stage(web=web_of(files), dialect="google")

    assert not run(on.client.allowed(f"{A}/x"))


@pytest.mark.parametrize("path", ["/robots.txt", "/robots.txt?v=2"])
def test_robots_txt_needs_no_rules(path: str) -> None:
    """A redirect to another origin's own file asks nothing more."""
    on = stage(web=web_of({A: moved(B + path), B: CLOSED}), dialect="google")

    run(on.client.decide(f"{A}/x"))

    assert on.web.asked == [f"{A}/robots.txt", B + path]


@pytest.mark.parametrize(
    "order", list(permutations((A, B, C))), ids=lambda sites: "".join(sites)[8:9]
)
@pytest.mark.parametrize(
    "files",
    [
        {A: moved(SITES[A]), B: moved(SITES[B]), C: CLOSED},
        {A: moved(SITES[A]), B: moved(SITES[B]), C: moved(SITES[C])},
    ],
    ids=["chain", "ring"],
)
def test_the_order_of_questions_changes_nothing(
    files: dict[str, Served], order: tuple[str, ...]
) -> None:
    """Whatever was asked before, each site has the answer that it has alone."""

    def alone(site: str) -> tuple[bool, str]:
        answer = run(stage(web=web_of(files), dialect="google").client.decide(f"{site}/x"))
        return answer.allowed, answer.reason

    on = stage(web=web_of(files), dialect="google")

    async def one_after_another() -> list[tuple[bool, str]]:
        answers = [await on.client.decide(f"{site}/x") for site in order]
        return [(answer.allowed, answer.reason) for answer in answers]

    assert [alone(site) for site in order] == run(one_after_another())


def test_two_files_that_wait_for_each_other() -> None:
    """Asked for at once, neither waits for the other's answer."""
    files = {A: moved(f"{B}/r.txt"), B: moved(f"{A}/r.txt")}
    on = stage(web=web_of(files), dialect="google")

    run(on.client.prefetch([A, B]))

    assert {A, B} == {name for name in (A, B) if on.client.known(name)}


def test_many_redirects_to_one_place() -> None:
    """Its file is fetched once, and is there for questions about it."""
    shops = [f"https://shop{number}.example" for number in range(9)]
    on = stage(web=web_of({**dict.fromkeys(shops, moved(f"{B}/r.txt")), B: OPEN}), dialect="google")

    async def ask() -> None:
        await on.client.prefetch(shops)
        await on.client.allowed(f"{B}/x")

    run(ask())

    assert 1 == on.web.asked.count(f"{B}/robots.txt")


def test_an_origin_that_only_a_redirect_names() -> None:
    """Its address must be public, and it gets no credentials; the caller's own question is new."""
    on = stage(
        web=web_of({A: moved(f"{B}/r.txt"), B: OPEN}),
        dialect="google",
        headers={"Authorization": "Bearer a", "X-A": "b"},
    )

    run(on.client.allowed(f"{A}/x"))

    first, behind, target = on.web.requests
    assert (first.named, behind.named, target.named) == (True, False, False)
    assert ["X-A" in each.headers for each in on.web.requests] == [True] * 3
    assert ["Authorization" in each.headers for each in on.web.requests] == [True, False, False]


def test_failures_behind_a_redirect_are_not_those_of_a_question() -> None:
    """The guard may have refused the address, which the caller may name."""
    on = stage(web=web_of({A: moved(f"{B}/r.txt"), B: "dns"}), dialect="google")

    async def ask() -> None:
        await on.client.allowed(f"{A}/x")
        await on.client.allowed(f"{B}/x")

    run(ask())

    assert [True, False] == [
        request.named for request in on.web.requests if request.url == f"{B}/robots.txt"
    ][::-1]


def test_a_stored_file_is_loaded() -> None:
    """What a store has is not fetched again."""
    store, files = MemoryStore(), {A: moved(f"{B}/r.txt"), B: OPEN}
    run(stage(web=web_of(files), store=store).client.allowed(f"{B}/x"))
    on = stage(web=web_of(files), store=store, dialect="google")

    run(on.client.allowed(f"{A}/x"))

    assert f"{B}/robots.txt" not in on.web.asked
