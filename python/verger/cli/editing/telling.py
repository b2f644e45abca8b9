"""The changes of an edit and their proof: lines for people, and one JSON object.

In: an `Outcome`, or why an edit was refused. Out: lines on stderr, or an object on stdout that
follows `schemas/edit-1.schema.json`.
"""

import sys
from argparse import Namespace
from collections.abc import Iterator

from verger import RobotsTxt
from verger.analysis import Changed, Outcome, Proof, Refused
from verger.cli.diffing.json_object import change_object
from verger.cli.editing import files
from verger.cli.exit import DISALLOWED, FINE, message_lines
from verger.cli.streams import encode, tell
from verger.files.places import input_name
from verger.plain import counted, listed

SCHEMA = "verger.edit/1"

MOST_CHANGES = 10


def finish(args: Namespace, old: RobotsTxt, outcome: Outcome) -> int:
    """Write the new file, and report what it changes; return the exit code."""
    if args.format == "text" or files.is_written_apart(args):
        files.write(args, old.body, outcome.body)
    if args.format == "json":
        body = None if files.is_written_apart(args) else outcome.body
        _write_object(args, outcome.proof, outcome=outcome, body=body)
    elif not args.quiet:
        tell("\n".join(_lines(old, outcome)))
    return FINE


def refuse(args: Namespace, refused: Refused) -> int:
    """Report why nothing was written, and return the exit code."""
    if args.format == "json":
        _write_object(args, refused.proof, error=refused.message)
    sys.stdout.flush()
    print(message_lines(refused.message, refused.hint), end="", file=sys.stderr)
    return DISALLOWED


def _lines(old: RobotsTxt, outcome: Outcome) -> Iterator[str]:
    """Yield what changed for which crawlers, and for how many nothing changed."""
    if not outcome.edits:
        yield "nothing to do: the file stays as it is"
    elif not outcome.crawlers:
        yield _saved(old, outcome.robots)
    if outcome.untried:
        untried = counted(outcome.untried, "more change")
        yield f"{untried} not tried: it would take too long"
    for changed in outcome.proof.changed:
        who = listed(changed.crawlers)  # `--format json` has all
        is_everywhere = changed.dialects == outcome.proof.dialects
        where = "" if is_everywhere else f" ({', '.join(changed.dialects)} only)"
        for change in changed.changes[:MOST_CHANGES]:
            verb = "opened to" if change.opened else "closed to"
            example = f", such as {change.witness}" if change.witness != change.region else ""
            yield f"{verb} {who}: {change.region}{example}{where}"
        more = len(changed.changes) - MOST_CHANGES
        if more > 0:
            yield f"and {more:,} more regions for {who}"
    if outcome.also:
        who = f"also for crawlers named {listed(outcome.also)}"
        yield f"{who}: {old.dialect.name} cuts longer names at digits, dots and blanks"
    others = "other crawler" if outcome.proof.changed else "crawler"
    dialects = ", ".join(outcome.proof.dialects)
    yield f"0 URLs changed for {counted(outcome.proof.unchanged, others)} ({dialects})"


def _saved(old: RobotsTxt, new: RobotsTxt) -> str:
    saved = {
        "rule": _rules_in(old) - _rules_in(new),
        "group": len(old.groups) - len(new.groups),
        "byte": len(old.body) - len(new.body),
    }
    # Where groups without rules become one, an empty rule may be added.
    said = [counted(count, noun) for noun, count in saved.items() if count > 0]
    return f"{listed(said)} fewer"


def _rules_in(robots: RobotsTxt) -> int:
    return sum(len(group.rules) for group in robots.groups)


def _write_object(
    args: Namespace,
    proof: Proof,
    *,
    outcome: Outcome | None = None,
    body: bytes | None = None,
    error: str | None = None,
) -> None:
    from verger.files.json_text import json_text

    encode(sys.stdout, "utf-8", "strict")
    edits = outcome.edits if outcome else ()
    said = {
        "schema": SCHEMA,
        "file": input_name(args.robots),
        "dialect": args.dialect,
        "error": error,
        "crawlers": outcome.crawlers if outcome else (),
        "also": outcome.also if outcome else (),
        "edits": [{"span": edit.span, "replacement": _text(edit.replacement)} for edit in edits],
        "untried": outcome.untried if outcome else 0,
        "body": None if body is None else _text(body),
        "proof": {
            "dialects": proof.dialects,
            "crawlers": len(proof.crawlers),
            "unchanged": proof.unchanged,
            "changed": [_changed(each) for each in proof.changed],
            "other_records": proof.other_records,
        },
    }
    sys.stdout.write(f"{json_text(said)}\n")


def _changed(changed: Changed) -> dict[str, object]:
    return {
        "crawlers": changed.crawlers,
        "dialects": changed.dialects,
        "exact": changed.is_exact,
        "changes": [change_object(each) for each in changed.changes],
    }


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
