"""The files that are compared: from disk, stdin, a site, a snapshot of many, or git.

In: a word of the command line. Out: a `FoundFile`, with the part that the dialects read; or a
`Failure`.
"""

import os
from argparse import Namespace
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass

from verger import RobotsTxt, parse
from verger._core import _dialect_of
from verger.access.answer import Question, Unanswered
from verger.cli.live import fetch_site, no_file, tell_absence
from verger.cli.options import expect_separate_outputs
from verger.cli.output import Failure, note
from verger.client import Site
from verger.files import git
from verger.files.paths import STANDARD, input_name, is_url
from verger.files.robots_file import read_named
from verger.snapshots.sources import RobotsFile, SnapshotFiles

IN_SNAPSHOT = "::"
"""The separator of a snapshot and a site in it; a scheme has a single colon."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file, and where it was found.

    name:     the word that named it, or `stdin`.
    site:     what is known of its site, if it came from one or from a record of a fetch.
    """

    name: str
    body: bytes
    site: Site | None = None

    def read(self, dialect: str) -> RobotsTxt:
        """Return the file as a dialect reads it."""
        return parse(self.body, dialect=_dialect_of(dialect))


def read_version(args: Namespace, word: str, dialects: Sequence[str]) -> FoundFile:
    """Return the file that a word names. Raises `Failure`."""
    if is_url(word):
        return _file_fetched(args, word, fetch_site(args, word, dialects))
    if is_in_snapshot(word):
        return _from_snapshot(args, word, dialects)
    known = [_dialect_of(name) for name in dialects]
    body = git.read_version(word, known) if git.is_in_git(word) else read_named(word, known)
    return FoundFile(input_name(word), body)


def versions_of_git(words: Sequence[str], dialect: str) -> tuple[FoundFile, FoundFile] | None:
    """Return the two versions that git writes for a diff driver; None for an unmerged file.

    git passes `path old-file old-hex old-mode new-file new-hex new-mode`; for a renamed file also
    its new path and the similarity; for an unmerged file only the path (git(1),
    GIT_EXTERNAL_DIFF).
    """
    match words:
        case [_]:
            return None
        case [path, old, _, _, new, _, _, *more] if len(more) in (0, 2):
            known = [_dialect_of(dialect)]
            renamed = more[0] if more else path
            return FoundFile(path, read_named(old, known)), FoundFile(
                renamed, read_named(new, known)
            )
    why = f"git passes 1, 7 or 9 arguments to a diff driver, and here are {len(words)}"
    raise Failure(why, "options come before `--git`, as in `verger diff --agent GPTBot --git`")


def is_in_snapshot(word: str) -> bool:
    """Whether a word can only be a site in a snapshot, as in `june.warc.gz::example.com`."""
    path, mark, site = word.partition(IN_SNAPSHOT)
    return bool(mark and site) and os.path.lexists(path) and not os.path.lexists(word)


def on_disk(words: Iterable[str]) -> list[str]:
    """Return the words that name a file on disk."""
    return [
        word
        for word in words
        if not is_url(word) and not is_in_snapshot(word) and not git.is_in_git(word)
    ]


def expect_separate_output(args: Namespace, words: Sequence[str]) -> None:
    """Refuse an output that is also one of the files that are read for some words."""
    snapshots = [word.partition(IN_SNAPSHOT)[0] for word in words if is_in_snapshot(word)]
    read = [*on_disk(words), *snapshots]
    expect_separate_outputs(args, [args.output or STANDARD], read, snapshots)


def _from_snapshot(args: Namespace, word: str, dialects: Sequence[str]) -> FoundFile:
    """Return the file of a site in a snapshot."""
    path, _, site = word.partition(IN_SNAPSHOT)
    questions = [Question(("*",), _dialect_of(dialect)) for dialect in dialects]
    with closing(SnapshotFiles(path, questions)) as files:
        note(args, *(f"note: {each}" for each in files.notes))
        try:
            file = files.file_of(site)
        except Unanswered as problem:
            raise Failure(problem.message, problem.hint) from None
    if isinstance(file, RobotsFile):
        return FoundFile(word, file.agents[0].robots.body)
    return _file_fetched(args, word, file.sites[0])


def _file_fetched(args: Namespace, word: str, site: Site) -> FoundFile:
    """Return the file of a site; an empty file for a site without one.

    RFC 9309 section 2.3.1.3: without a file everything may be fetched, as with an empty file.
    Raises `Failure` for an unreachable site, which has nothing to compare.
    """
    if (body := site.binding_body) is None:
        raise no_file(site.last, "compare", is_live=site.source != "snapshot")
    tell_absence(args, site)
    return FoundFile(word, body, site)
