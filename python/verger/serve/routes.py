"""Routes: one question in a request, and the object that the command of the same name prints.

In: requests. Out: responses. Each handler reads what is asked, lets the library answer, and gives
the object; nothing is decided here. What takes long runs in a thread and is charged to the caller.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import time

from aiohttp import web

from verger import DIALECTS, Dialect, RobotsTxt, parse
from verger.access.answer import Question, Row
from verger.access.words import happened
from verger.analysis import compare, diff
from verger.client.site import Site
from verger.client.upkeep import stored_file
from verger.crawlers.binding import OWN
from verger.crawlers.survey import survey_of
from verger.files.json_text import Json
from verger.lint import Settings
from verger.lint.fixing import run_on
from verger.objects.agents import survey_object, uses_told
from verger.objects.cache import entry_object
from verger.objects.check import check_object
from verger.objects.diff import about_file, compare_object, diff_object
from verger.objects.lint import lint_report
from verger.plain import printable
from verger.serve.asking import Asked, named_dialect, read
from verger.serve.limits import Gate, T
from verger.serve.problems import Problem, about
from verger.serve.replies import LINES, caching, reply
from verger.serve.sites import Sites
from verger.snapshots.files import RobotsFile

IN_THE_REQUEST = "request"
"""The name of a file that stands in a request."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Read:
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
    degraded:  returns what does not work now.
    """

    def __init__(self, sites: Sites, gate: Gate, degraded: Callable[[], str]) -> None:
        self.sites = sites
        self.gate = gate
        self.degraded = degraded

    async def check(self, request: web.Request, *, verbose: bool = False) -> web.StreamResponse:
        """May these crawlers fetch these URLs, and which lines say so?"""
        known = ("url", "agent", "dialect", "use", "bindings", "robots")
        asked = await read(request, known, file="robots")
        use, questions, urls = asked.use(), asked.questions(), asked.several("url")
        if not urls:
            raise Problem(400, "`url` is needed", field="url", hint="give an absolute URL")
        self._expect_few(len(urls) * len(questions))
        file = asked.file("robots") if asked.has("robots") else None
        if isinstance(file, bytes):
            given = RobotsFile(file, questions, name=IN_THE_REQUEST)
            found = [(given.answers(url, questions), "") for url in urls]
        else:
            found = await asyncio.gather(
                *(self._row(request, file, url, questions) for url in urls)
            )
        answers = [answer for row, _ in found for answer in row]
        for each in answers:
            if each.problem is not None and each.problem.kind != "no-file":
                raise Problem(422, each.problem.message, field="url", hint=each.problem.hint)
        objects = [check_object(each, verbose=verbose, purpose=use) for each in answers]
        return self._reply(request, objects, [each.site for each in answers], found[0][1])

    async def explain(self, request: web.Request) -> web.StreamResponse:
        """Which rules were beaten, and what is wrong with the lines that decided?"""
        return await self.check(request, verbose=True)

    async def agents(self, request: web.Request) -> web.StreamResponse:
        """What may each crawler fetch on one site, by purpose?"""
        known = ("url", "robots", "agent", "purpose", "dialect", "use", "all")
        asked = await read(request, known, file="robots")
        [word], use, purposes = asked.dialects(), asked.use(), asked.several("purpose")
        own, crawlers = word.startswith(OWN), asked.several("agent")
        file = await self._read(request, asked, [named_dialect(word)])
        site, with_unnamed = file.site, asked.one("all", "false") == "true"

        def survey() -> Json:
            is_open = site is None or site.access.effect == "allow_all"
            why_closed = None if is_open or site is None else site.access.reason
            found = survey_of(
                file.robots,
                is_open=is_open,
                crawlers=[each for each in crawlers if each != "*"],
                purposes=purposes,
                with_unnamed=with_unnamed,
                own=own,
            )
            uses = uses_told(found, file.robots, use, why_closed, own=own) if use else {}
            told = {"file": (site.last.url if file.robots else None) if site else file.name}
            told |= {"access": site.facts(time())} if site else {}
            asked_of = {"site": file.name, "dialect": word, **told}
            return survey_object(found, file.robots, asked_of, uses)

        with about("purpose" if purposes else "agent"):
            return self._reply(request, [await self._analyse(request, survey)], [site], file.how)

    async def lint(self, request: web.Request) -> web.StreamResponse:
        """Which mistakes are in this file?"""
        known = ("url", "robots", "select", "ignore", "target")
        asked = await read(request, known, file="robots")
        names = ("select", "ignore", "target")
        with about(next((name for name in names if asked.has(name)), "target")):
            chosen = (tuple(asked.several(name)) for name in names)
            settings = Settings().updated(*chosen)
        dialects = [DIALECTS["rfc9309"], DIALECTS["original-1994"]]
        file = await self._read(request, asked, dialects)
        if (robots := file.robots) is None or (file.site and file.site.last.truncated):
            why = happened(file.site.last) if file.site and not robots else "it is too long"
            raise Problem(404, f"there is no whole robots.txt file to lint: {why}", field="url")
        checked = partial(run_on, robots.body, settings, url=robots.url, name=None, mode="lint")
        found = await self._analyse(request, partial(checked, fixes="one-by-one"))
        return self._reply(request, [lint_report(file.name, found)], [file.site], file.how)

    async def diff(self, request: web.Request) -> web.StreamResponse:
        """What does a new version of a file change, and for whom?"""
        asked = await read(request, ("old", "new", "agent", "purpose", "dialect"), file="new")
        crawlers, dialect = asked.tokens(), asked.dialect()
        names = ("old", "new")
        files = [await self._version(request, asked, name, [dialect]) for name in names]
        old, new = (parse(body, dialect=dialect) for _, body in files)
        found = await self._analyse(request, lambda: diff(old, new, crawlers=crawlers))
        sides = {
            name: about_file(file.name, file.site)
            for name, (file, _) in zip(names, files, strict=True)
        }
        told = diff_object(found, {**sides, "dialect": dialect.name})
        return self._reply(request, [told], [file.site for file, _ in files], files[0][0].how)

    async def compare(self, request: web.Request) -> web.StreamResponse:
        """Where do the dialects answer one file differently?"""
        known = ("url", "robots", "agent", "purpose", "dialect", "with")
        asked = await read(request, known, file="robots")
        crawlers, first = asked.tokens(), asked.dialect()
        words = [word.replace(" ", "+") for word in asked.several("with", list(DIALECTS))]
        others = [each for each in map(named_dialect, words) if each != first]
        name = "url" if asked.has("url") else "robots"
        file, body = await self._version(request, asked, name, [first, *others])
        robots = parse(body, dialect=first)
        found = await self._analyse(request, lambda: compare(robots, others, crawlers=crawlers))
        of_file = {**about_file(file.name, file.site), "dialect": first.name}
        told = compare_object(((each.dialect.name, each) for each in found), of_file)
        return self._reply(request, [told], [file.site], file.how)

    async def robots(self, request: web.Request) -> web.StreamResponse:
        """The file of an origin as it is stored, with status, redirects and age; its text for
        `Accept: text/plain`."""
        asked = await read(request, ("url", "dialect"))
        dialect, url = asked.dialect(), asked.one("url")
        with about("url"):
            site, how = await self.sites.site_for(url, dialect, directives_of(request))
        is_text = "text/plain" in request.headers.get("Accept", "")
        if isinstance(site, RobotsFile) or (is_text and site.entry and site.entry.good):
            body = site.read[0].body if isinstance(site, RobotsFile) else site.entry.good.body
            headers = caching([site], is_private="Authorization" in request.headers)
            headers |= {"Cache-Status": f"verger; {how}", "X-Content-Type-Options": "nosniff"}
            return web.Response(body=body, content_type="text/plain", headers=headers)
        if is_text or site.entry is None:
            raise Problem(404, f"there is no file: {happened(site.last)}", field="url")
        kept = stored_file(site.entry, dialect, time())
        return self._reply(request, [entry_object(kept)], [site], how)

    # what several of them do

    async def _row(
        self, request: web.Request, site: str | None, url: str, questions: Sequence[Question]
    ) -> tuple[Row, str]:
        """Return the answers about a URL, and how its file was found."""
        with about("url"):
            file, how = await self.sites.file_for(site or url, questions, directives_of(request))
        return file.answers(url, questions), how

    async def _read(
        self, request: web.Request, asked: Asked, dialects: Sequence[Dialect], name: str = ""
    ) -> Read:
        """Return the file of a request, or that of the site of its `url`.

        name:  the parameter that gives it, if it is another.
        """
        name = name or ("url" if asked.has("url") else "robots")
        file = asked.file(name)
        if isinstance(file, bytes):
            return Read(IN_THE_REQUEST, parse(file, dialect=dialects[0]))
        questions = [Question(("*",), each) for each in dialects]
        with about(name):
            found, how = await self.sites.file_for(file, questions, directives_of(request))
        if isinstance(found, RobotsFile):
            return Read(file, found.read[0], None, how)
        return Read(file, found.sites[0].robots, found.sites[0], how)

    async def _version(
        self, request: web.Request, asked: Asked, name: str, dialects: Sequence[Dialect]
    ) -> tuple[Read, bytes]:
        """Return a file that is compared, and its bytes; a site without one has an empty file."""
        file = await self._read(request, asked, dialects, name)
        if file.site is None:
            assert file.robots is not None, "it is in the request"
            return file, file.robots.body
        if (body := file.site.binding_body) is None:
            why = f"there is no robots.txt file to compare: {happened(file.site.last)}"
            raise Problem(404, why, field=name)
        return file, body

    async def _analyse(self, request: web.Request, work: Callable[[], T]) -> T:
        return await self.gate.analysed(request["caller"], work)

    def _expect_few(self, questions: int) -> None:
        most = self.gate.limits.questions
        if questions > most:
            why = f"{questions:,} questions in one request, and {most:,} are the limit"
            hint = f"post them as `{LINES}`, one to a line"
            raise Problem(413, why, field="url", hint=hint)

    def _reply(
        self, request: web.Request, objects: Sequence[Json], sites: Sequence[object], how: str
    ) -> web.Response:
        return reply(request, objects, sites, how, degraded=printable(self.degraded()))


def directives_of(request: web.Request) -> frozenset[str]:
    """Return what a request says about caches (RFC 9111 section 5.2.1), in small letters."""
    said = request.headers.get("Cache-Control", "")
    return frozenset(word.strip().lower() for word in said.split(",")) if said else frozenset()
