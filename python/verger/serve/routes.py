"""Routes: one question in a request, and the object that the command of the same name prints.

In: requests. Out: responses. Each handler reads what is asked, lets the library answer, and gives
the object; nothing is decided here. What takes long runs in a thread and is charged to the caller.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import cycle
from time import time
from typing import Any, NamedTuple, cast

from aiohttp import web

from verger import DIALECTS, Dialect, RobotsTxt, parse
from verger.access.answer import Question, Row
from verger.access.words import happened
from verger.analysis import compare, diff
from verger.client.refresh import stored_file
from verger.client.site import Site
from verger.crawlers.binding import OWN
from verger.files.json_text import Json
from verger.lint import Settings
from verger.lint.fixing import run_on
from verger.objects.agents import survey_object, surveyed
from verger.objects.cache import entry_object
from verger.objects.check import check_object
from verger.objects.diff import about_file, compare_object, diff_object
from verger.objects.lint import lint_report
from verger.options import UseName
from verger.serve.asking import (
    ARROW,
    LINES,
    TEXT,
    Asked,
    crawlers_of,
    dialect_of,
    file_of,
    named_dialect,
    questions_of,
    read,
    use_of,
)
from verger.serve.limits import Gate
from verger.serve.problems import Problem, about, expect
from verger.serve.replies import reply, tagged
from verger.serve.sites import GoverningFile, Sites, Terms
from verger.snapshots.sources import FetchedFile, RobotsFile

IN_THE_REQUEST = "request"
"""The name of a file that stands in a request."""

AT_ONCE = 16
"""Questions that are answered while all other requests wait: a file may have rules for which each
takes milliseconds."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Route(NamedTuple):
    """What a route answers, and what it is asked."""

    summary: str
    schema: str
    parameters: Sequence[str]
    file: str = "robots"


ROUTES = {
    "check": Route(
        "May these crawlers fetch these URLs, and which lines say so?",
        "check-1",
        ("url", "agent", "dialect", "use", "bindings", "robots"),
    ),
    "explain": Route(
        "The same, with the rules that were beaten, and findings in the lines that decided.",
        "check-1",
        ("url", "agent", "dialect", "use", "bindings", "robots"),
    ),
    "agents": Route(
        "What may each crawler fetch on one site, by purpose?",
        "agents-1",
        ("url", "robots", "agent", "purpose", "dialect", "use", "all"),
    ),
    "lint": Route(
        "Which mistakes are in this file?",
        "lint-1",
        ("url", "robots", "select", "ignore", "target"),
    ),
    "diff": Route(
        "What does a new version of a file change, and for whom?",
        "diff-1",
        ("old", "new", "agent", "purpose", "dialect"),
        "new",
    ),
    "compare": Route(
        "Where do the dialects answer one file differently?",
        "compare-1",
        ("url", "robots", "agent", "purpose", "dialect", "with"),
    ),
    "robots": Route(
        "The file of an origin as it is stored, with status, redirects and age; its text for "
        "`Accept: text/plain`.",
        "cache-1",
        ("url", "dialect"),
        "",
    ),
}
"""The routes of single questions below `/v1`, whose methods of `Routes` have the same names."""


class Read(NamedTuple):
    """A file that was read for a question: from a site, or from the request.

    robots:  None for a site without a file.
    site:    None for a file in the request, or in a folder.
    how:     how it was found; empty for a file in the request.
    """

    name: str
    robots: RobotsTxt | None
    site: Site | None = None
    how: str = ""


class Routes:
    """The handlers of single questions.

    sites:     the files of sites.
    gate:      limits what is done at once.
    """

    def __init__(self, sites: Sites, gate: Gate) -> None:
        self._sites = sites
        self._gate = gate

    def handler(self, name: str) -> Handler:
        """Return the handler of a route."""
        answer, route = getattr(self, name), ROUTES[name]
        streams = (LINES, ARROW) if name == "check" else ()

        async def handle(request: web.Request) -> web.StreamResponse:
            asked = await read(request, route.parameters, route.file, *streams)
            response: web.StreamResponse = await answer(request, asked)
            return response

        return handle

    async def check(
        self, request: web.Request, asked: Asked, *, verbose: bool = False
    ) -> web.Response:
        """Answer every question about every URL."""
        urls, most = asked["url"], self._gate.limits.questions
        uses: list[UseName | None] = asked["use"] or [None]
        many = f"more than {most:,} questions are posted as `{LINES}`, one to a line"
        number = len(asked["agent"]) * max(1, len(asked["dialect"])) * len(uses)
        expect(max(1, len(urls)) * number <= most, 413, many, "url")
        questions = questions_of(asked)
        expect(urls, 400, "`url` is needed", "url", "give an absolute URL")
        file, how = file_of(asked, "robots") if asked["robots"] else None, ""
        files: list[RobotsFile | FetchedFile] = []
        if not isinstance(file, bytes):
            finding = (self._file(request, file or url, questions) for url in urls)
            found = [await next(finding)] if len(urls) == 1 else await asyncio.gather(*finding)
            files, how = [each.file for each in found], found[0].how

        def work() -> tuple[Row, list[Json]]:
            of_urls = files or [RobotsFile(cast(bytes, file), questions, name=IN_THE_REQUEST)]
            asking = zip(cycle(of_urls), urls, strict=False)
            answers = [answer for each, url in asking for answer in each.answers(url, questions)]
            for each in answers:
                if each.problem is not None:
                    raise Problem(422, each.problem.message, field="url", hint=each.problem.hint)
            return answers, [
                check_object(each if use is None else each.may_use(use), verbose=verbose)
                for each in answers
                for use in uses
            ]

        is_short = files and not verbose and len(urls) * len(questions) <= AT_ONCE
        answers, objects = (
            work() if is_short else await self._gate.analysed(request["caller"], work)
        )
        return reply(request, objects, [each.site for each in answers], how)

    async def explain(self, request: web.Request, asked: Asked) -> web.Response:
        """Answer and explain."""
        return await self.check(request, asked, verbose=True)

    async def agents(self, request: web.Request, asked: Asked) -> web.Response:
        """Answer for every crawler."""
        [word, *others] = asked["dialect"] or ["rfc9309"]
        expect(not others, 400, "`dialect` is given several times", "dialect")
        own, use = word.startswith(OWN), use_of(asked)
        file = await self._read(request, asked, [named_dialect(word)])
        site = file.site

        def survey() -> Json:
            found, uses = surveyed(
                file.robots,
                site.access if site else None,
                crawlers=[each for each in asked["agent"] if each != "*"],
                purposes=asked["purpose"],
                with_unnamed=asked["all"] == "true",
                use=use,
                own=own,
            )
            source = site.last.url if site else file.name
            facts = {"access": site.facts(time())} if site else {}
            told = {"site": file.name, "dialect": word, "file": file.robots and source, **facts}
            return survey_object(found, file.robots, told, uses)

        with about("agent"):
            told = await self._gate.analysed(request["caller"], survey)
        return reply(request, [told], [site], file.how)

    async def lint(self, request: web.Request, asked: Asked) -> web.Response:
        """Answer with findings."""
        settings = Settings()
        for place, name in enumerate(("select", "ignore", "target")):
            chosen: list[Any] = [(), (), ()]
            chosen[place] = tuple(asked[name])
            with about(name):
                settings = settings.updated(*chosen)
        file = await self._read(request, asked, [DIALECTS["rfc9309"], DIALECTS["original-1994"]])
        if (robots := file.robots) is None or (file.site and file.site.last.truncated):
            why = happened(file.site.last) if file.site and not robots else "it is too long"
            field = "robots" if asked["robots"] else "url"
            raise Problem(404, f"there is no whole robots.txt file to lint: {why}", field=field)
        work = partial(run_on, robots.body, settings, url=robots.url, name=None, mode="lint")
        done = partial(work, fixes="one-by-one")
        found = await self._gate.analysed(request["caller"], done)
        return reply(request, [lint_report(file.name, found)], [file.site], file.how)

    async def diff(self, request: web.Request, asked: Asked) -> web.Response:
        """Answer with what changes."""
        crawlers, dialect = crawlers_of(asked), dialect_of(asked)
        old, was = await self._version(request, asked, [dialect], "old")
        new, now = await self._version(request, asked, [dialect], "new")
        files = [parse(body, dialect=dialect) for body in (was, now)]
        work = partial(diff, *files, crawlers=crawlers)
        found = await self._gate.analysed(request["caller"], work)
        sides = {"old": about_file(old.name, old.site), "new": about_file(new.name, new.site)}
        told = diff_object(found, {**sides, "dialect": dialect.name})
        return reply(request, [told], [old.site, new.site], new.how or old.how)

    async def compare(self, request: web.Request, asked: Asked) -> web.Response:
        """Answer with where dialects differ."""
        crawlers, first = crawlers_of(asked), dialect_of(asked)
        words = asked["with"] or [*DIALECTS]
        others = [each for word in words if (each := named_dialect(word, (), "with")) != first]
        file, body = await self._version(request, asked, [first, *others])
        work = partial(compare, parse(body, dialect=first), others, crawlers=crawlers)
        found = await self._gate.analysed(request["caller"], work)
        of_file = {**about_file(file.name, file.site), "dialect": first.name}
        told = compare_object(((each.dialect.name, each) for each in found), of_file)
        return reply(request, [told], [file.site], file.how)

    async def robots(self, request: web.Request, asked: Asked) -> web.Response:
        """Answer with what is stored."""
        dialect = dialect_of(asked)
        url = str(file_of(asked, "url"))
        with about("url"):
            asking = [Question(("*",), dialect)]
            found, how = await self._sites.file_for(url, asking, terms_of(request))
        site = None if isinstance(found, RobotsFile) else found.sites[0]
        entry = site and site.entry
        good = entry and entry.good
        body = good.body if good else b"" if site else found.read[0].body
        if site and entry and TEXT not in request.headers.get("Accept", ""):
            told = entry_object(stored_file(entry, dialect, time()))
            response = reply(request, [told], [site], how, file=body)
        else:
            why = f"there is no file: {happened(site.last)}" if site else ""
            expect(not site or good, 404, why, "url")
            response = tagged(request, body, TEXT, body, [site], how)
        response.headers.update({"Vary": "Accept", "X-Content-Type-Options": "nosniff"})
        return response

    # what several of them do

    async def _file(
        self, request: web.Request, url: str, questions: Sequence[Question]
    ) -> GoverningFile:
        """Return the file of a site."""
        with about("url"):
            return await self._sites.file_for(url, questions, terms_of(request))

    async def _read(
        self, request: web.Request, asked: Asked, dialects: Sequence[Dialect], name: str = ""
    ) -> Read:
        """Return the file of a request, or that of the site of a URL.

        name:  the parameter that gives it; by default `url` or `robots`.
        """
        if not name:
            is_one = not (asked["url"] and asked["robots"])
            expect(is_one, 400, "`url` and `robots` are given, and one file is read", "robots")
            name = "robots" if asked["robots"] else "url"
        file = file_of(asked, name)
        if isinstance(file, bytes):
            return Read(IN_THE_REQUEST, parse(file, dialect=dialects[0]))
        questions = [Question(("*",), each) for each in dialects]
        with about(name):
            found, how = await self._sites.file_for(file, questions, terms_of(request))
        if isinstance(found, RobotsFile):
            return Read(found.name, found.read[0], None, how)
        return Read(file, found.sites[0].robots, found.sites[0], how)

    async def _version(
        self, request: web.Request, asked: Asked, dialects: Sequence[Dialect], name: str = ""
    ) -> tuple[Read, bytes]:
        """Return a file that is compared, and its bytes; a site without one has an empty file."""
        file = await self._read(request, asked, dialects, name)
        body = file.site.binding_body if file.site else file.robots and file.robots.body
        if body is None:
            why = happened(file.site.last) if file.site else ""
            field = name or ("robots" if asked["robots"] else "url")
            raise Problem(404, f"there is no robots.txt file to compare: {why}", field=field)
        return file, body


def terms_of(request: web.Request) -> Terms:
    """Return on which terms a request is answered; what it says about caches is in small letters
    (RFC 9111 section 5.2.1)."""
    said = ",".join(request.headers.getall("Cache-Control", ()))
    directives = [word.strip().lower() for word in said.split(",")] if said else ()
    return Terms(directives, request["fetches"])
