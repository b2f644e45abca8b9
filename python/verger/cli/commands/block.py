"""`verger block`: stop crawlers from fetching paths, and change nothing else.

In: words: a robots.txt file, crawlers, and path patterns. Out: the new file, and on stderr what it
changes for whom; or both as JSON. `verger allow` shares all of it but the direction.
"""

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence

from verger.analysis import Outcome, Refused, block
from verger.analysis.blocking import expect_patterns
from verger.cli import options
from verger.cli.edits import (
    EDIT_OPTIONS,
    check_edit,
    expect_own_output,
    finish,
    read_file,
    refuse,
)
from verger.cli.exit import refuse_if
from verger.cli.grammar import crawler, option, switch
from verger.cli.output import note
from verger.cli.tokens import binding_notes, token_of, tokens_for
from verger.crawlers import remark_on
from verger.crawlers.registry import by_purpose
from verger.plain import printable

HELP_OF_EDITS = """\
usage: verger {command} --robots FILE|URL|- (--agent TOKEN | --purpose NAME)...
                    [--except TOKEN]... [--output FILE|- | --in-place]
                    [--dialect NAME] [--format text|json] [OPTION...] [PATH...]

{description}

exit code:
  0    the new file is written, and it is proved that no other URL changed
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
changes is proved for every known crawler over all URLs, and reported on stderr.""",
    examples="""\
  verger block --robots robots.txt --agent GPTBot --agent CCBot
  verger block --robots robots.txt --purpose training --except GPTBot --in-place
  verger block --robots robots.txt --agent GPTBot /private '/*.pdf$'""",
)

OPTIONS = (
    option("paths", nargs="*", metavar="PATH", help="a path pattern (default: the whole site)"),
    options.shared(
        "--agent", more=f"{options.REPEATED}; `*` for those that no group names", unless="none"
    ),
    options.shared("--purpose"),
    switch(
        "--policy-tokens",
        help="let --purpose include policy tokens that only one secondary source names",
    ),
    option(
        "--except",
        action="append",
        default=[],
        type=crawler,
        dest="except_",
        metavar="TOKEN",
        help=f"a crawler to leave out{options.REPEATED}",
    ),
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
