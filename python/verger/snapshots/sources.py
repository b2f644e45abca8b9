"""robots.txt files on disk, as sources of answers: one for all URLs, or those of a snapshot.

In: the bytes of a file, or the path of a snapshot; questions and URLs. Out: the file that governs
each URL, or why there is none; a row of answers for each URL.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from verger._core import Dialect, RobotsTxt, parse
from verger.access.answer import Answer, Question, Row, Unanswered, decide, origin_asked
from verger.crawlers.binding import agent_of
from verger.errors import InvalidTarget, OutOfScope
from verger.files.paths import is_url
from verger.lru_cache import KEPT_BYTES, LruCache, cost_of_site
from verger.options import AnyPath
from verger.snapshots.opening import open_stored
from verger.snapshots.stored import Stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.access.entry import Entry
    from verger.access.site import Source
    from verger.client.site import Override, Site


class RobotsFile:
    """One robots.txt file, read in each dialect and compiled for each crawler."""

    __slots__ = ("agents", "name", "site", "size")

    records_fetches = False

    def __init__(
        self,
        data: bytes,
        questions: Sequence[Question],
        *,
        name: str,
        site: str | None = None,
        url: str | None = None,
    ) -> None:
        self.name = name
        self.site = site
        self.size = len(data)
        dialects = {question.dialect.name: question.dialect for question in questions}
        read = {name: parse(data, dialect=dialects[name], url=url) for name in dialects}
        self.agents = [
            agent_of(read[each.dialect.name], each.tokens, each.bindings) for each in questions
        ]

    def file_for(self, _url: str, /) -> "RobotsFile":
        """Return this file, which answers for every URL."""
        return self

    def answers(self, url: str, questions: Sequence[Question]) -> Row:
        """Answer every question about a URL."""
        asked = zip(questions, self.agents, strict=True)
        return [decide(url, question, agent, self.name, self.site) for question, agent in asked]

    @property
    def read(self) -> list[RobotsTxt]:
        """The file as each dialect reads it."""
        return list({agent.robots.dialect.name: agent.robots for agent in self.agents}.values())

    @property
    def last_line(self) -> int:
        """The number of its last line."""
        data = self.agents[0].robots.body
        ends = data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
        return ends + (not data.endswith((b"\n", b"\r")))


class FetchedFile:
    """The fetched file of an origin, or the failed fetch, as it applies to each question.

    Without an entry, the decision of an operator about all of the origin.
    """

    __slots__ = ("now", "sites", "size")

    def __init__(self, sites: "list[Site]", entry: "Entry | None", now: float) -> None:
        self.sites = sites
        self.now = now
        self.size = len(entry.good.body) if entry and entry.good else 0

    @classmethod
    def of(
        cls, entry: "Entry", questions: Sequence[Question], source: "Source", now: float
    ) -> "FetchedFile":
        """Evaluate an entry in every dialect; each dialect parses it once for all crawlers."""
        from verger.client.site import LEAST_FRESH, site_after  # with what judges fetches

        sites: list[Site] = []
        read: dict[str, Site] = {}
        for question in questions:
            name = question.dialect.name
            if name not in read:
                read[name] = site_after(entry, question, source=source, least_fresh=LEAST_FRESH)
            sites.append(read[name].asked_by(question.tokens, question.bindings))
        return cls(sites, entry, now)

    @property
    def name(self) -> str:
        """The URL of the file; the origin if none was fetched."""
        site = self.sites[0]
        return site.origin if site.entry is None else site.last.url

    @property
    def read(self) -> list[RobotsTxt]:
        """The file as each dialect reads it that has its rules."""
        read = {site.question.dialect.name: site.robots for site in self.sites}
        return [robots for robots in read.values() if robots is not None]

    def answers(self, url: str, _questions: Sequence[Question], /) -> Row:
        """Answer every question about a URL: by the rules if the policy is to use them.

        A stored file may be of another URL than those of its origin, and says nothing about them.
        """
        return [self._answer(site, url) for site in self.sites]

    def _answer(self, site: "Site", url: str) -> Answer:
        try:
            return site.decide(url, now=self.now)
        except (InvalidTarget, OutOfScope) as error:
            return Answer(
                url,
                site.question,
                None if site.entry is None else site.last.url,
                site.origin,
                agent=site.my_rules,
                problem=Unanswered.because(error),
                site=site,
                now=self.now,
            )


def overriding_file(
    name: str, override: "tuple[str, Override]", questions: Sequence[Question]
) -> RobotsFile | FetchedFile:
    """Return what an operator has decided about an origin.

    override:  a file in place of the site's own, with its path; or a word, and any path.
    """
    path, word = override
    if isinstance(word, bytes):
        return RobotsFile(word, questions, name=path, site=name)
    from verger.client.site import overridden_site

    return FetchedFile([overridden_site(name, word, each) for each in questions], None, 0.0)


class SnapshotFiles:
    """The files of a snapshot on disk, or the results of fetching them, until `close`.

    path:       where it is, or an open one.
    overrides:  decisions about some origins in place of what the snapshot has, with the paths of
                files among them.
    Raises what `open_stored` raises.
    """

    def __init__(
        self,
        path: AnyPath | Stored,
        questions: Sequence[Question],
        overrides: "Mapping[str, tuple[str, Override]] | None" = None,
    ) -> None:
        self._stored = path if isinstance(path, Stored) else open_stored(path)
        self._overrides = overrides or {}
        self._questions = questions
        self._dialects = list(dialects_of(questions))
        self._kept: LruCache[RobotsFile | FetchedFile | Unanswered] = LruCache(KEPT_BYTES)
        self.records_fetches = self._stored.records_fetches
        self.notes = self._stored.notes
        self.close = self._stored.close

    def file_for(self, url: str, /) -> RobotsFile | FetchedFile:
        """Return the file of the URL's origin; raise `Unanswered` if there is none."""
        why_not, hint = "a snapshot has a file for each", "pass an absolute URL"
        origin = origin_asked(url, why_not=why_not, hint=hint)
        found = self._kept.get(origin)
        if found is None:
            found = self._find(origin)
            self._kept.put(origin, found, cost_of_site(origin, found.size))
        if isinstance(found, Unanswered):
            raise found.with_traceback(None)  # else the kept error's traceback grows each time
        return found

    def file_of(self, site: str) -> RobotsFile | FetchedFile:
        """Return the file of a URL's origin, or of a host, which is looked up with https, then
        http; raise `Unanswered` if there is none."""
        if is_url(site):
            return self.file_for(site)
        try:
            return self.file_for(f"https://{site}")
        except Unanswered as first:
            if first.kind != "no-file":
                raise
            try:
                return self.file_for(f"http://{site}")
            except Unanswered as second:
                raise (first if second.kind == "no-file" else second) from None

    def _find(self, origin: str) -> RobotsFile | FetchedFile | Unanswered:
        if origin in self._overrides:
            return overriding_file(origin, self._overrides[origin], self._questions)
        [(_, found)] = self._stored.find([origin], self._dialects)
        if isinstance(found, Unanswered):
            return found
        if isinstance(found, tuple):
            path, data = found
            return RobotsFile(data, self._questions, name=path, site=origin.partition("://")[2])
        return FetchedFile.of(found, self._questions, "snapshot", found.last.fetched_at)


def rows_of(
    urls: Iterable[str | Unanswered],
    file_for: Callable[[str], RobotsFile | FetchedFile],
    questions: Sequence[Question],
) -> Iterator[Row]:
    """Yield the answers to every question about each URL, by the file that governs it."""
    for url in urls:
        if isinstance(url, Unanswered):
            yield [Answer(url.url, question, problem=url) for question in questions]
            continue
        try:
            file = file_for(url)
        except Unanswered as why:
            yield [Answer(url, question, problem=why) for question in questions]
        else:
            yield file.answers(url, questions)


def dialects_of(questions: Sequence[Question]) -> Iterator[Dialect]:
    """Yield the dialect of each question."""
    return (question.dialect for question in questions)
