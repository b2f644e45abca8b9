"""`verger block`: stop crawlers from fetching paths, and change nothing else.

In: words: a robots.txt file, crawlers, and path patterns. Out: the new file, written completely or
not at all, and on stderr what it changes for whom; or both as an object on stdout that follows
`schemas/edit-1.schema.json`. `verger allow` shares all of it but the direction, and `verger
minimise` the reading and writing of the file.
"""

import os.path
import sys
from argparse import Namespace
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from verger import DIALECTS, RobotsTxt, parse
from verger.analysis import Changed, Outcome, Proof, Refused, block
from verger.analysis.access_edits import expect_patterns
from verger.analysis.proof import changed_records
from verger.analysis.rules import UNREQUESTED
from verger.analysis.writable import why_not_editable
from verger.cli import options
from verger.cli.live import fetch_file
from verger.cli.output import (
    DISALLOWED,
    FINE,
    Failure,
    encode,
    note,
    refuse_first,
    refuse_if,
    see_help,
    tell_failures,
)
from verger.cli.tokens import binding_notes, token_of, tokens_for
from verger.crawlers import remark_on
from verger.crawlers.binding import dialect_for
from verger.crawlers.registry import by_purpose
from verger.crawlers.uses import is_policy_token
from verger.errors import UnusableOutput
from verger.files.formats import expect_format
from verger.files.json_text import json_text
from verger.files.paths import STANDARD, input_name, is_stream, is_url
from verger.files.robots_file import expect_size, read_whole
from verger.files.stdio import plain_on
from verger.files.writing import rewrite, writing
from verger.grouping import by_key
from verger.objects.diff import changed_object, use_object
from verger.showing.printing import at_most
from verger.untrusted_text import counted, listed, printable, quoted

HELP_OF_EDITS = """\
usage: verger {command} (--robots FILE|URL|- | FILE)
                    (--agent TOKEN | --purpose NAME)... [--except TOKEN]...
                    [--output FILE|- | --in-place] [--dialect NAME]
                    [--format text|json] [OPTION...] [PATH...]

{description}

exit code:
  0    the new file is written, and it is proved that nothing else changed
  1    refused: it would change more than you asked for, or cannot be expressed
  2    bad usage, or there is no file to read
  130  interrupted

examples:
{examples}
"""

HELP = HELP_OF_EDITS.format(
    command="block",
    description="""\
Stop crawlers from fetching a site, or paths of it, and change nothing else.

Crawlers that share a group with others get a group of their own. What the edit
changes is proved for every known crawler over all URLs and uses, in all
dialects that can express it, and reported on stderr.""",
    examples="""\
  verger block --robots robots.txt --agent GPTBot --agent CCBot
  verger block --robots robots.txt --purpose training --except GPTBot --in-place
  verger block --robots robots.txt --agent GPTBot /private '/*.pdf$'""",
)

EDIT_OPTIONS = (
    options.shared("--robots"),
    options.shared("--output", what="where the new file goes; `-` is stdout (default: -)"),
    options.switch("--in-place", help="replace the old file with the new one when it is complete"),
    options.shared(
        "--format",
        choices=("text", "json"),
        default="text",
        what="text for the file, and its proof on stderr; json for one object with both",
        unless="text",
    ),
    options.shared("--quiet"),
    *options.NETWORK_OPTIONS,
)
"""The options of all commands that edit a file, but for the dialect."""

OPTIONS = (
    options.option(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a path pattern (default: the whole site); a file may come first, in place of "
        "--robots",
    ),
    options.shared(
        "--agent",
        help="the product token of a crawler whose rules change; repeat the option for several; "
        "`*` for those that no group names (default: none)",
    ),
    options.shared("--purpose"),
    options.switch(
        "--policy-tokens",
        help="let --purpose include policy tokens that only one secondary source names",
    ),
    options.option(
        "--except",
        action="append",
        default=[],
        type=options.crawler,
        dest="except_",
        metavar="TOKEN",
        help=f"a crawler to leave out{options.REPEATED}",
    ),
    options.shared("--dialect"),
    *EDIT_OPTIONS,
)


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    return edit_rules(args, "block", block)


def edit_rules(args: Namespace, command: str, edit: Callable[..., Outcome]) -> int:
    """Make the edit, and return the exit code."""
    check_edit(args, command)
    refuse_if(
        not args.agent and not args.purpose,
        "no crawler given",
        "pass its product token, such as `--agent GPTBot`, or `--purpose training`",
    )
    agents, left_out = (
        [token_of(option, word, [args.dialect]) for word in words]
        for option, words in (("--agent", args.agent), ("--except", args.except_))
    )
    expect_patterns(args.paths)
    expect_own_output(args)
    robots = read_file(args)
    note(
        args,
        *binding_notes([(token,) for token in agents]),
        *_notes_on_hearsay(args, [*agents, *left_out]),
        *_notes_on_useless_exceptions(left_out, [*agents, *tokens_for(args)]),
    )
    try:
        outcome = edit(
            robots,
            agents,
            purposes=args.purpose,
            except_=left_out,
            paths=args.paths or ["/"],
            policy_tokens=args.policy_tokens,
        )
    except Refused as refused:
        return refuse(args, refused)
    return finish(args, robots, outcome)


def _notes_on_hearsay(args: Namespace, told: Sequence[str]) -> Iterator[str]:
    """Yield a note for each policy token of one secondary source that `--purpose` stands for."""
    named = {token.lower() for token in told}
    meant = by_purpose(args.purpose, with_hearsay=True)
    for token in (each.token for each in meant if each.is_hearsay):
        if token.lower() in named:
            continue
        yield f"note: {remark_on(token)}"
        if not args.policy_tokens:
            yield "hint: it is left out; pass `--policy-tokens` to write it as well"


def _notes_on_useless_exceptions(left_out: Sequence[str], meant: Sequence[str]) -> Iterator[str]:
    """Yield a note for each crawler of `--except` that no other option includes."""
    known = {token.lower() for token in meant}
    for token in left_out:
        if token.lower() not in known and "*" not in known:
            why = "neither `--agent` nor `--purpose` includes it"
            yield f"note: `--except {printable(token)}` has no effect: {why}"


# The file, and the proof of an edit


def check_edit(args: Namespace, command: str) -> None:
    """Refuse usage that argparse cannot detect."""
    options.take_robots(args, args.paths, lambda word: not word.startswith(("/", "*")))
    options.take_robots(args, args.paths, os.path.isfile)  # without another, that is no pattern
    refuse_first(
        (
            not args.robots,
            "no robots.txt file given",
            f"pass one: `verger {command} robots.txt`",
        ),
        (
            args.in_place and args.output is not None,
            "pass `--output` or `--in-place`, not both",
            see_help(command),
        ),
        (
            args.in_place and (args.robots == STANDARD or is_url(args.robots)),
            "`--in-place` is for files",
            "pass `--output FILE`",
        ),
    )
    if args.output is not None:
        expect_format(args.output, "text", "a robots.txt file")
    options.expect_network_use(args, [args.robots])


def expect_own_output(args: Namespace) -> None:
    """Refuse an output that is also an input."""
    outputs = [args.output or STANDARD]
    if args.format == "json" and outputs != [STANDARD]:
        outputs.append(STANDARD)
    try:
        options.expect_separate_outputs(args, outputs, [args.robots])
    except UnusableOutput as error:
        if not _is_own(args):
            raise
        raise Failure(error.message, "pass `--in-place` to replace the file") from None
    refuse_if(
        args.in_place and is_stream(args.robots),
        f"{quoted(args.robots)} is not a regular file",
        "pass `--output FILE`",
    )


def read_file(args: Namespace) -> RobotsTxt:
    """Return the file to edit; raise `Failure` if there is none."""
    dialect = dialect_for(args.dialect)
    if is_url(args.robots):
        robots = fetch_file(args, args.robots, [args.dialect], "edit")
        expect_size(robots.body, args.robots)
    else:
        robots = parse(read_whole(args.robots), dialect=dialect)
    if (found := why_not_editable(robots)) is not None:
        why, hint = found
        name = printable(input_name(args.robots))
        raise Failure(f"`{name}` cannot be edited: {printable(why)}", hint)
    return robots


def _write_file(args: Namespace, old: bytes, new: bytes) -> None:
    """Write the new file, in place of the old one if that is wanted."""
    if args.in_place:
        rewrite(args.robots, old, new)
        return
    with writing(args.output or STANDARD) as output:
        plain_on(output).write(new)


def _is_written_elsewhere(args: Namespace) -> bool:
    """Whether the new file goes elsewhere than to stdout."""
    return args.in_place or args.output not in (None, STANDARD)


def _is_own(args: Namespace) -> bool:
    """Whether the new file is to be written over the old one."""
    names = args.robots, args.output or STANDARD
    try:
        return STANDARD not in names and Path(args.robots).samefile(args.output)
    except OSError:  # one of them does not exist
        return False


# What changes


EDIT_SCHEMA = "verger.edit/1"

MOST_CHANGES = 10

MOST_LEFT_OUT = 3
"""The most dialects that are named because a proof does not cover them; else those that it does."""


def finish(args: Namespace, old: RobotsTxt, outcome: Outcome) -> int:
    """Write the new file, and report what it changes; return the exit code."""
    if args.format == "text" or _is_written_elsewhere(args):
        _write_file(args, old.body, outcome.body)
    if args.format == "json":
        body = None if _is_written_elsewhere(args) else outcome.body
        _write_object(args, outcome.proof.without(outcome.also), outcome=outcome, body=body)
    else:
        note(args, *edit_lines(old, outcome))
    return FINE


def refuse(args: Namespace, refused: Refused) -> int:
    """Report why nothing was written, and return the exit code."""
    if args.format == "json":
        _write_object(args, refused.proof, error=refused.message)
    tell_failures([(refused.message, refused.hint)])
    return DISALLOWED


def edit_lines(old: RobotsTxt, outcome: Outcome) -> Iterator[str]:
    """Yield what changed for which crawlers, and for how many nothing changed."""
    if not outcome.edits:
        yield "nothing to do: the file stays as it is"
    elif not outcome.crawlers:
        yield _saved(old, outcome.robots)
    if outcome.untried:
        yield f"{counted(outcome.untried, 'more change')} not tried: it would take too long"
    proof = outcome.proof.without(outcome.also)  # which is told below
    yield from proof_lines(old, outcome.robots, proof, outcome.crawlers)
    if outcome.also:
        who = f"also for crawlers named {listed(outcome.also)}"
        yield f"{who}: {old.dialect.name} cuts longer names at digits, dots and blanks"


def proof_lines(
    old: RobotsTxt, new: RobotsTxt, proof: Proof, asked: Collection[str] = ()
) -> Iterator[str]:
    """Yield what changed for which crawlers, and for how many nothing changed."""
    told = by_key(
        ((listed(each.crawlers), text), each.dialects)
        for each in (*proof.changed, *proof.uses)
        for text in _texts(each)
    )
    lines = by_key((who, f"{text}{_where(names, proof)}") for (who, text), names in told.items())
    for who, some in lines.items():  # `--format json` has all
        more = partial("and {1:,} more regions for {0}".format, who)
        yield from at_most(some, MOST_CHANGES, str, more)
    if moved := proof.other_records:
        said = zip(("no longer", "now"), changed_records(old, new, proof), strict=True)
        which = ", ".join(f"{word} {listed(lines, quoted)}" for word, lines in said if lines)
        which = f": {which}" if which else ", in another place"
        where = _where([each.dialects for each in proof.records], proof)
        yield f"other records than before are for {listed(moved)}{which}{where}"
    # What policy tokens say was asked for, and is told above.
    unasked = tuple(each for each in proof.uses if each.policy not in asked)
    count = replace(proof, uses=unasked).unchanged
    others = counted(count, "crawler" if proof.is_empty else "other crawler")
    uses = "0 uses" if unasked == proof.uses else "0 other uses"
    yield f"0 URLs and {uses} changed for {others} ({_dialects_of(proof)})"


def _texts(each: Changed) -> Iterator[str]:
    """Yield what changed for some crawlers."""
    who, uses = listed(each.crawlers), listed(each.uses)
    for change in each.changes:
        mark = "" if change.is_requested else UNREQUESTED
        example = f", such as {change.witness}{mark}" if change.witness != change.region else ""
        where = f"{change.region}{example}"
        if not uses:
            note = " (no crawler sends this name)" if is_policy_token(each.crawlers) else ""
            yield f"{'opened' if change.opened else 'closed'} to {who}: {where}{note}"
        elif change.new or change.old:
            # not by the field of the rule: an empty `Disallow` allows, to Yandex
            is_allowed = change.opened is (change.new is not None)
            verb = f"{'' if change.new else 'no longer '}{'' if is_allowed else 'dis'}allowed"
            yield f"{verb} for {uses} by {each.policy}: {where}"
        else:
            yield f"{'more' if change.opened else 'less'} is allowed for {uses} to {who}"


def _where(told: Sequence[Sequence[str]], proof: Proof) -> str:
    """Return the dialects in which something changes, unless it does in all."""
    names = {name for each in told for name in each}
    others = [name for name in proof.dialects if name not in names]
    if len(others) < len(names):
        return f" (not in {', '.join(others)})" if others else ""
    return f" ({', '.join(name for name in proof.dialects if name in names)} only)"


def _dialects_of(proof: Proof) -> str:
    """Return the dialects that a proof covers."""
    left_out = [name for name in DIALECTS if name not in proof.dialects]
    if len(left_out) > MOST_LEFT_OUT:
        return ", ".join(proof.dialects)
    more = ", Content-Usage off and on" if len({*proof.dialects} - DIALECTS.keys()) > 1 else ""
    return f"all dialects but {listed(left_out)}{more}" if left_out else f"all dialects{more}"


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
    encode(sys.stdout, "utf-8", "strict")
    edits = outcome.edits if outcome else ()
    said = {
        "schema": EDIT_SCHEMA,
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
            "changed": list(map(changed_object, proof.changed)),
            "uses": list(map(use_object, proof.uses)),
            "other_records": proof.other_records,
        },
    }
    sys.stdout.write(f"{json_text(said)}\n")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
