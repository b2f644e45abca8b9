"""Recording: what a robots.txt file says today, as expectations.

In: the arguments of `verger test --record`. Out: a TOML file, written completely or not at all.
"""

import os
from argparse import Namespace
from collections.abc import Sequence

from verger.answers.answer import Unanswered
from verger.cli.exit import FINE, Failure
from verger.cli.options import expect_no_network, expect_outputs_apart
from verger.cli.streams import plain_lines, tell
from verger.cli.testing.running import subject_for, tell_of
from verger.cli.tokens import tokens_for, tokens_of
from verger.cli.urls import Urls
from verger.expectations.recording import name_below, record, toml_of
from verger.expectations.subject import DEFAULT_DIALECT
from verger.files.formats import expect_format
from verger.files.places import STANDARD, is_terminal, is_url
from verger.files.writing import writing
from verger.plain import counted, is_unicode


def run(args: Namespace) -> int:
    """Record, and return the exit code."""
    output = args.output or STANDARD
    _check_usage(args, output)
    urls = _urls(args.files)
    words = dict.fromkeys([*args.agent, *tokens_for(args)])
    crawlers = [tokens_of("--agent", word, [args.dialect]) for word in words]
    folder = os.path.dirname(output) if output != STANDARD else ""  # noqa: PTH120
    named = name_below(folder, args.robots)
    subject = subject_for(args, args.robots, [args.dialect])
    found = record(subject, crawlers=crawlers, urls=urls, dialect=args.dialect)
    tell_of(args, subject, args.dialect)  # not before: the error would say it again
    dialect = None if args.dialect == DEFAULT_DIALECT else args.dialect
    document = toml_of(found, robots=named, dialect=dialect)
    with writing(output) as stream:
        text = plain_lines(document) if is_terminal(output) else document
        stream.write(text.encode())
    if not args.quiet:
        count = sum(len(each.agents) * len(each.urls) for each in found)
        tell(f"recorded {counted(count, 'expectation')}")
    return FINE


def _check_usage(args: Namespace, output: str) -> None:
    if not args.robots:
        raise Failure("there is nothing to record", "pass `--robots FILE|URL`")
    if args.format is not None:
        raise Failure("expectations are TOML: `--format` is for results", "leave `--format` out")
    if args.verbose:
        why = "`--verbose` is for results, and `--record` has none"
        raise Failure(why, "leave `--verbose` out")
    if args.robots == STANDARD and STANDARD in args.files:
        raise Failure("stdin cannot hold both the robots.txt file and the URLs", "name the file")
    if not is_url(args.robots):
        expect_no_network(args)
    stdin = [STANDARD] if STANDARD in args.files else []
    expect_outputs_apart(args, [output], [args.robots, *stdin])
    expect_format(output, "toml", "TOML")


def _urls(words: Sequence[str]) -> list[str]:
    """Return the URLs that words name, without duplicates."""
    found: dict[str, None] = {}
    for url in Urls(words):
        if isinstance(url, Unanswered):
            raise Failure(url.message, url.hint)
        if not is_unicode(url):
            why = f"`{url}` is not UTF-8, and TOML is"
            raise Failure(why, "write its bytes as escapes, such as `%FF`")
        found[url] = None
    if words and not found:
        raise Failure("no URLs on stdin", "leave `-` out to record one for each rule")
    return list(found)
