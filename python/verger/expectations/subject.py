"""Subject: the robots.txt file under test, and its answers.

In: the bytes of a file, or the result of fetching one. Out: the answer to a crawler about a URL, in
a dialect. Crawlers follow the groups that their operators document. If a site has no file or cannot
be reached, the access policy answers (RFC 9309 section 2.3.1).
"""

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial

from verger._core import Agent, RobotsTxt, __version__, _dialect_of, origin, parse
from verger.access.answer import Answer, Question
from verger.access.entry import CLOSED, Entry
from verger.access.policy import AccessPolicy, bytes_read
from verger.access.words import happened
from verger.client import Client, Site
from verger.client.site import LEAST_FRESH, given_site, site_after
from verger.crawlers import find, remark_on
from verger.crawlers.binding import Bindings, agent_of
from verger.crawlers.uses import policy_tokens
from verger.fetching.limits import FetchLimits
from verger.files.paths import is_url
from verger.files.robots_file import read_named
from verger.findings import NOT_ROBOTS_TXT, findings_of
from verger.options import DialectName, UseName, path_of
from verger.untrusted_text import closest, quoted

DEFAULT_DIALECT: DialectName = "rfc9309"


class Subject:
    """A robots.txt file, or the access policy in place of one that could not be fetched.

    name:   the path or URL of the file.
    site:   returns the site of the file, asked by a crawler in a dialect.
    entry:  the result of fetching it, if it was fetched.
    """

    def __init__(
        self, name: str, site: Callable[[Question], Site], entry: Entry | None = None
    ) -> None:
        self.name = name
        self.entry = entry
        self._site = of_dialect = cache(lambda name: site(Question(("*",), _dialect_of(name))))
        self._asked = cache(lambda tokens, dialect: of_dialect(dialect).asked_by(tokens))

    def __repr__(self) -> str:
        return f"Subject({self.name!r})"

    @classmethod
    def of_bytes(
        cls, body: bytes, *, name: str = "robots.txt", url: str | None = None
    ) -> "Subject":
        """Return the subject of a file's bytes; `url` is the URL it was fetched from."""

        def site(question: Question) -> Site:
            return given_site(parse(body, dialect=question.dialect, url=url), url or "", question)

        return cls(name, site)

    @classmethod
    def of_entry(cls, entry: Entry, *, name: str) -> "Subject":
        """Return the subject of a fetched file."""
        return cls(name, partial(site_after, entry, least_fresh=LEAST_FRESH), entry)

    def read(self, dialect: str) -> RobotsTxt | AccessPolicy:
        """Return the file as a dialect reads it, or the access policy in its place."""
        _dialect_of(dialect)  # refuses what is not a dialect, before the cache hashes it
        site = self._site(dialect)
        return site.access if site.robots is None else site.robots

    def file(self, dialect: str) -> RobotsTxt:
        """Return the file as a dialect reads it, or one that says what the access policy does."""
        read = self.read(dialect)
        if isinstance(read, RobotsTxt):
            return read
        return parse(b"" if read.effect == "allow_all" else CLOSED, dialect=_dialect_of(dialect))

    def bindings(self, dialect: str) -> Bindings:
        """Return whose groups crawlers follow: an access policy is the same for all of them."""
        return "operators" if isinstance(self.read(dialect), RobotsTxt) else "file"

    def rules_for(
        self, tokens: tuple[str, ...], use: UseName | None, dialect: str
    ) -> tuple[Agent, tuple[UseName, list[str]] | None]:
        """Return the rules that a crawler follows; and of a use, the product tokens that stand for
        it, as the core takes them."""
        agent = agent_of(self.file(dialect), tokens, self.bindings(dialect))
        if use is None:
            return agent, None
        stand_for = [token for token, _ in policy_tokens(tokens, use)]
        is_file = isinstance(self.read(dialect), RobotsTxt)
        return agent._speaking_of_use() if is_file else agent, (use, stand_for)

    def verdict(self, tokens: tuple[str, ...], url: str, dialect: str) -> Answer:
        """Return the answer to a question. Raises InvalidTarget, OutOfScope."""
        site: Site = self._asked(tokens, dialect)
        return site.decide(url, now=0.0)  # equal answers are equal at any time

    def hint(self, tokens: tuple[str, ...], dialect: str) -> str | None:
        """Return a likely reason for an unexpected answer."""
        agent, file = self._asked(tokens, dialect).my_rules, self._site(dialect).robots
        if agent is None or file is None:
            return f"{self.describe_fetch()}, so no rule decided"
        for finding in findings_of(file):
            if finding.code in NOT_ROBOTS_TXT:
                return f"line {finding.line} of {quoted(self.name)}: {finding.message}"
        near = None if agent.named else _near(file, tokens)
        if near is not None:
            return f"no group names `{tokens[0]}`; did you mean {quoted(near)}?"
        return remark_on(tokens[0]) if len(tokens) == 1 else None

    def describe_fetch(self) -> str:
        """Return the result of fetching the file, in words."""
        cannot = f"{quoted(self.name)} cannot be used"
        return cannot if self.entry is None else happened(self.entry.last)


def subject_of(
    robots: str | os.PathLike[str],
    *,
    below: str | os.PathLike[str] = "",
    dialects: Iterable[DialectName] = (),
) -> Subject:
    """Return the subject of a path or a URL; for a URL, the file of its origin is fetched.

    below:     the folder that relative paths start from; by default the current one.
    dialects:  the dialects in which it will be read.
    Raises:    UnusableInput, InvalidTarget, MissingExtra.
    """
    names = list(dialects) or [DEFAULT_DIALECT]
    robots = path_of("robots", robots)
    if is_url(robots):
        return fetch_subject(robots, dialects=names)
    path = os.path.join(below, robots)  # noqa: PTH118 -- messages show the path as given
    body = read_named(path, [_dialect_of(name) for name in names], is_path=True)
    return Subject.of_bytes(body, name=path)


def fetch_subject(url: str, *, dialects: Sequence[DialectName] = (DEFAULT_DIALECT,)) -> Subject:
    """Fetch the file of a site and return its subject. Raises InvalidTarget."""
    site = origin(url)
    most = max(bytes_read(_dialect_of(name)) for name in dialects)
    dialect = dialects[0] if len(dialects) == 1 else DEFAULT_DIALECT
    limits = FetchLimits(body_bytes=most)
    with Client(f"verger/{__version__}", dialect=dialect, limits=limits) as client:
        entry = client.site(site).entry
    assert entry is not None, "the client has no overrides"
    return Subject.of_entry(entry, name=f"{site}/robots.txt")


def _near(file: RobotsTxt, tokens: tuple[str, ...]) -> str | None:
    """Return a name in the file that is close to a crawler's own, which no group names: one of the
    two that nobody knows, since two known crawlers are no slip of each other."""
    named = [name for group in file.groups for name in group.product_tokens if name != "*"]
    if find(tokens[0]) is not None:
        named = [name for name in named if find(name) is None]
    return closest(tokens[0], named[:1000], least=0.8) if tokens[0] != "*" else None
