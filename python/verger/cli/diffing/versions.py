"""The files that are compared: from disk, stdin, a site, a snapshot of many, or git.

In: a word of the command line. Out: a `Version`, with the part that the dialects read; or a
`Failure`. git resolves the name of a version in git, such as `HEAD~1:robots.txt`. No shell sees the
word.
"""

import os
from argparse import Namespace
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from subprocess import DEVNULL, PIPE, Popen

from verger import DIALECTS, RobotsTxt, parse
from verger.answers.answer import Question, Unanswered
from verger.answers.files import RobotsFile
from verger.cli.exit import Failure
from verger.cli.files import SnapshotFiles, read_named
from verger.cli.streams import tell
from verger.files.folder import read_robots
from verger.files.places import STANDARD, is_url
from verger.plain import reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger import Dialect
    from verger.answers.fetched import Fetched
    from verger.answers.fetched_file import FetchedFile

IN_SNAPSHOT = "::"
"""The separator of a snapshot and a site in it; a scheme has a single colon."""

FORM = "a version in git is `REVISION:PATH`"
PATHS = "its path begins at the top of the repository, or with `./` at this folder"


@dataclass(frozen=True, slots=True)
class Version:
    """A file, and where it was found.

    name:     the word that named it, or `stdin`.
    fetched:  the result of fetching it, if it came from a site or from a record of a fetch.
    """

    name: str
    body: bytes
    fetched: "Fetched | None" = None

    def read(self, dialect: str) -> RobotsTxt:
        """Return the file as a dialect reads it."""
        return parse(self.body, dialect=dialect)


def read_version(args: Namespace, word: str, dialects: Sequence[str]) -> Version:
    """Return the file that a word names. Raises `Failure`."""
    if is_url(word):
        return _from_site(args, word, dialects)
    if is_in_snapshot(word):
        return _from_snapshot(args, word, dialects)
    known = [DIALECTS[name] for name in dialects]
    if is_in_git(word):
        return Version(word, _from_git(word, known))
    return Version("stdin" if word == STANDARD else word, read_named(word, known))


def versions_of_git(words: Sequence[str], dialect: str) -> tuple[Version, Version] | None:
    """Return the two versions that git writes for a diff driver; None for an unmerged file.

    git passes `path old-file old-hex old-mode new-file new-hex new-mode`; for a renamed file also
    its new path and the similarity; for an unmerged file only the path (git(1),
    GIT_EXTERNAL_DIFF).
    """
    match words:
        case [_]:
            return None
        case [path, old, _, _, new, _, _, *more] if len(more) in (0, 2):
            known = [DIALECTS[dialect]]
            renamed = more[0] if more else path
            return Version(path, read_named(old, known)), Version(renamed, read_named(new, known))
    why = f"git passes 1, 7 or 9 arguments to a diff driver, and here are {len(words)}"
    raise Failure(why, "options come before `--git`, as in `verger diff --agent GPTBot --git`")


def is_in_git(word: str) -> bool:
    """Whether a word can only be a version in git: there is no such file."""
    revision, colon, path = word.partition(":")
    is_one = bool(revision and colon and path) and not word.startswith("-")
    return is_one and not os.path.lexists(word) and not is_in_snapshot(word)


def is_in_snapshot(word: str) -> bool:
    """Whether a word can only be a site in a snapshot, as in `june.warc.gz::example.com`."""
    path, mark, site = word.partition(IN_SNAPSHOT)
    return bool(mark and site) and os.path.lexists(path) and not os.path.lexists(word)


def on_disk(words: Iterable[str]) -> list[str]:
    """Return the words that name a file on disk."""
    return [
        word
        for word in words
        if not is_url(word) and not is_in_git(word) and not is_in_snapshot(word)
    ]


def inputs(words: Iterable[str]) -> list[str]:
    """Return the files and folders that are read for some words."""
    words = list(words)
    return on_disk(words) + [
        word.partition(IN_SNAPSHOT)[0] for word in words if is_in_snapshot(word)
    ]


def _from_site(args: Namespace, url: str, dialects: Sequence[str]) -> Version:
    """Return the file of a URL's origin; an empty file for a site without one.

    RFC 9309 section 2.3.1.3: without a file everything may be fetched, as with an empty file.
    Raises `Failure` for an unreachable site, which has nothing to compare.
    """
    from verger.cli.live import fetch_site

    return _fetched(args, url, fetch_site(args, url, dialects))


def _from_snapshot(args: Namespace, word: str, dialects: Sequence[str]) -> Version:
    """Return the file of a site in a snapshot; a host is looked up with https, then http."""
    path, _, site = word.partition(IN_SNAPSHOT)
    urls = [site] if is_url(site) else [f"https://{site}", f"http://{site}"]
    questions = [Question(("*",), dialect) for dialect in dialects]
    with closing(SnapshotFiles(path, questions)) as files:
        if not args.quiet:
            for note in files.notes:
                tell(f"note: {note}")
        file = _first_known(files, urls)
    match file:
        case RobotsFile():
            return Version(word, file.agents[0].robots.body)
        case _:
            first, *_ = file.answers(f"{file.site}/", questions)
            assert first.fetched is not None, "it was written down"
            return _fetched(args, word, first.fetched)


def _first_known(files: SnapshotFiles, urls: Sequence[str]) -> "RobotsFile | FetchedFile":
    first: Unanswered | None = None
    for url in urls:
        try:
            return files.file_for(url)
        except Unanswered as problem:
            if problem.kind != "no-file":
                raise Failure(problem.message, problem.hint) from None
            first = first or problem
    assert first is not None, "some URL was looked up"
    raise Failure(first.message, first.hint)


def _fetched(args: Namespace, word: str, fetched: "Fetched") -> Version:
    from verger.cli.outcome import EFFECTS, happened

    body = fetched.site.binding_body
    if body is None:
        why = f"there is no robots.txt file to compare: {happened(fetched.last)}"
        then = "try again later, or " if fetched.source != "snapshot" else ""
        raise Failure(why, f"{then}pass a saved file")
    if fetched.site.robots is None and not args.quiet:
        tell(f"note: {happened(fetched.last)}: {EFFECTS[fetched.policy.effect]}")
    return Version(word, body, fetched)


def _from_git(word: str, dialects: "Sequence[Dialect]") -> bytes:
    """Return the part of a version in git that the dialects read."""
    environment = {**os.environ, "LC_ALL": "C"}  # error messages quote git's output
    command = ("git", "cat-file", "blob", word)
    try:
        git = Popen(command, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, env=environment)
    except FileNotFoundError:
        raise Failure(f"no such file: `{word}`, and git is not installed", FORM) from None
    assert git.stdout is not None
    assert git.stderr is not None
    with git:
        try:
            data = read_robots(git.stdout, dialects)
            is_cut = bool(git.stdout.read(1))
        except OSError as error:
            why = f"cannot read `{word}`: {reason_of(error)}"
            raise Failure(why, "name another file") from None
        finally:
            git.stdout.close()  # makes git exit even with unwritten output
        said = git.stderr.read().decode("utf-8", "surrogateescape")
    if git.returncode and not is_cut:
        raise _not_in_git(word, said)
    return data


def _not_in_git(word: str, said: str) -> Failure:
    first = said.partition("\n")[0].removeprefix("fatal: ").rstrip(".")
    if "not a git repository" in first:
        why = f"no such file: `{word}`, and there is no git repository here"
        return Failure(why, f"{FORM}; pass the path of a file, or run this in a repository")
    return Failure(f"no such file: `{word}`, and git has none: {first}", f"{FORM}; {PATHS}")
