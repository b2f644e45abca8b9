"""Real programs that fetch pages: as they come, and with a guard in place.

In: URLs, and clients of verger or none. Out: the requests that each program sends. What each `by_`
function does with a client is the recipe of docs/guides/programs.md.
"""

import asyncio
import contextlib
import io
from collections.abc import Callable, Sequence
from typing import Any

import aiohttp
import httpx
import requests

import verger
from patience import LONG
from verger.integrations.aiohttp import RobotsMiddleware
from verger.integrations.guard import Guard
from verger.integrations.httpx import RobotsTransport
from verger.integrations.requests import RobotsAdapter

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"

Program = Callable[[Sequence[str], verger.Client | None, verger.AsyncClient | None], int]
"""Fetches URLs; returns how many pages it got."""


def guarded_session(robots: verger.Client | None, **guard: Any) -> requests.Session:
    session = requests.Session()
    session.headers["User-Agent"] = USER_AGENT
    if robots is not None:
        for scheme in ("http://", "https://"):
            session.mount(scheme, RobotsAdapter(robots, **guard))
    return session


def by_langchain(urls: Sequence[str], robots: verger.Client | None, _: object) -> int:
    """The synchronous loader, which ends the whole run at the first exception."""
    from langchain_community.document_loaders import WebBaseLoader

    session = guarded_session(robots, disallowed="answer")
    loader = WebBaseLoader(list(urls), session=session, requests_kwargs={"timeout": LONG})
    documents = loader.load()
    return sum("words and words" in each.page_content for each in documents)


def by_langchain_async(urls: Sequence[str], _: object, robots: verger.AsyncClient | None) -> int:
    """The asynchronous one, on aiohttp, whose requests take middlewares."""
    from langchain_community.document_loaders import WebBaseLoader

    async def load() -> list[Any]:
        guard = [RobotsMiddleware(robots, disallowed="answer")] if robots else []
        more = {"timeout": aiohttp.ClientTimeout(LONG), "middlewares": guard}
        loader = WebBaseLoader(
            list(urls),
            header_template={"User-Agent": USER_AGENT},
            requests_kwargs=more if robots else {},
            requests_per_second=100,
        )
        documents = [each async for each in loader.alazy_load()]
        if robots is not None:
            await robots.close()
        return documents

    return sum("words and words" in each.page_content for each in asyncio.run(load()))


def by_haystack(urls: Sequence[str], robots: verger.Client | None, _: object) -> int:
    """Its fetcher tries what httpx raises again, after 2 seconds and more."""
    from haystack.components.fetchers import LinkContentFetcher

    from verger.integrations.guard import Disallowed

    sending: dict[str, Any] = {"follow_redirects": True}
    if robots is not None:
        inner = httpx.HTTPTransport()
        sending["transport"] = RobotsTransport(robots, inner, disallowed=Disallowed)
    fetcher = LinkContentFetcher(
        raise_on_failure=False,
        user_agents=[USER_AGENT],
        retry_attempts=1,
        timeout=int(LONG),
        client_kwargs=sending,
    )
    return sum(bool(each.data) for each in fetcher.run(list(urls))["streams"])


def by_newspaper(urls: Sequence[str], robots: verger.Client | None, _: object) -> int:
    """All of it goes through one session."""
    import newspaper
    from newspaper import network

    network.session = guarded_session(robots, disallowed="answer")
    found = 0
    for url in urls:
        article = newspaper.Article(url, browser_user_agent=USER_AGENT, request_timeout=LONG)
        with contextlib.suppress(newspaper.ArticleException):
            article.download()
            article.parse()
            found += "words and words" in article.text
    return found


def by_sitemap_parser(urls: Sequence[str], robots: verger.Client | None, _: object) -> int:
    """It reads sitemaps and lists pages: which of them may be fetched is another question."""
    from usp.tree import sitemap_tree_for_homepage
    from usp.web_client.requests_client import RequestsWebClient

    session = guarded_session(robots, disallowed="answer", token="request")
    listed: list[str] = []
    for homepage in dict.fromkeys(url.rpartition("/")[0] + "/" for url in urls):
        tree = sitemap_tree_for_homepage(homepage, web_client=RequestsWebClient(session=session))
        listed += [page.url for page in tree.all_pages()]
    if robots is not None:
        listed = [url for url in listed if robots.allowed(url)]
    pages = [session.get(url, timeout=LONG) for url in dict.fromkeys(listed)]
    return sum("words and words" in page.text for page in pages)


def by_warcio(urls: Sequence[str], robots: verger.Client | None, _: object) -> int:
    """It records what `http.client` sends, so only what the guard lets through.

    (requests must be imported after warcio for that, which no test can promise; urllib need not.)
    """
    import urllib.request

    from warcio.archiveiterator import ArchiveIterator
    from warcio.capture_http import capture_http

    from verger.integrations.urllib import RobotsHandler

    opener = urllib.request.build_opener(*([RobotsHandler(robots)] if robots else []))
    opener.addheaders = [("User-Agent", USER_AGENT)]
    with capture_http() as writer:
        for url in urls:
            with contextlib.suppress(OSError):
                opener.open(url, timeout=LONG).read()
    records = ArchiveIterator(io.BytesIO(writer.get_contents()))
    return sum(b"words and words" in each.content_stream().read() for each in records)


def by_curl(urls: Sequence[str], robots: verger.Client | None, _: object) -> int:
    """curl has no hooks: the guard is asked before each request, and for each redirect."""
    from curl_cffi import CurlOpt
    from curl_cffi.requests import Session

    from verger.integrations.guard import Disallowed

    hosts = [url.split("/")[2] for url in urls]
    resolved = [f"{host}:127.0.0.1" for host in dict.fromkeys(hosts)]
    guard = Guard(robots) if robots else None
    found = 0
    with Session(curl_options={CurlOpt.RESOLVE: resolved}) as session:
        session.headers["User-Agent"] = USER_AGENT
        for url in urls:
            wanted: str | None = url
            with contextlib.suppress(Disallowed):
                while wanted:
                    if guard is not None:
                        guard.admit(wanted, user_agent=USER_AGENT)
                    page = session.get(wanted, allow_redirects=False, timeout=LONG)
                    wanted = page.redirect_url or None
                    found += "words and words" in page.text
    return found


def by_niquests(urls: Sequence[str], robots: verger.Client | None, _: object) -> int:
    import niquests

    from verger.integrations.niquests import RobotsAdapter as Adapter

    found = 0
    with niquests.Session() as session:
        session.headers["User-Agent"] = USER_AGENT
        for scheme in ("http://", "https://") if robots else ():
            session.mount(scheme, Adapter(robots, disallowed="answer"))
        for url in urls:
            found += "words and words" in (session.get(url, timeout=LONG).text or "")
    return found


def by_urllib3(urls: Sequence[str], robots: verger.Client | None, _: object) -> int:
    import urllib3

    from verger.integrations.urllib3 import RobotsPoolManager

    headers = {"User-Agent": USER_AGENT}
    pools = (
        RobotsPoolManager(robots, headers=headers, disallowed="answer")
        if robots
        else urllib3.PoolManager(headers=headers)
    )
    with pools:
        pages = [pools.request("GET", url, timeout=LONG).data for url in urls]
    return sum(b"words and words" in page for page in pages)


PROGRAMS: dict[str, Program] = {
    "LangChain": by_langchain,
    "LangChain on asyncio": by_langchain_async,
    "haystack": by_haystack,
    "newspaper4k": by_newspaper,
    "ultimate-sitemap-parser": by_sitemap_parser,
    "warcio": by_warcio,
    "curl_cffi": by_curl,
    "niquests": by_niquests,
    "urllib3": by_urllib3,
}
