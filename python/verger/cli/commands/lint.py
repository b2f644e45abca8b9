"""`verger lint`: which mistakes are in these robots.txt files?

In: files, folders, URLs or stdin. Out: the findings, on stdout or in a file, as text or for
machines; with `--fix`, the fixed files.
"""

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, combinations
from pathlib import Path
from typing import Any

from verger import DIALECTS, parse
from verger.analysis import prove
from verger.cli import options
from verger.cli.commands.block import proof_lines
from verger.cli.commands.lint_output import (
    LINT_FORMATS,
    check_page,
    checks_table,
    done_with,
)
from verger.cli.inputs import LintInput, inputs_of
from verger.cli.lint_formats.tally import LintTally
from verger.cli.output import (
    FINE,
    Failure,
    TextStream,
    fail_with,
    note,
    refuse_first,
    refuse_if,
    tell_failures,
    write_bytes,
)
from verger.cli.patch import patch, shown_diff
from verger.files.paths import STANDARD, is_url
from verger.files.writing import rewrite
from verger.lint import SEVERITIES, LintReport, Settings, read_settings, settings_for
from verger.lint.fixing import Mode, Tried, run_on
from verger.lint.settings import files_above
from verger.showing.palette import Palette

FORMATS = ("text", "json", "jsonl", "sarif", "github", "markdown")

OF_RUNS = ("select", "ignore", "target", "config", "guard", "fix", "unsafe_fixes", "output")
"""Options that have no effect with `--list` and `--about`."""

EXCLUSIVE = (
    *combinations(("list", "about", "statistics", "diff"), 2),
    *(("list", *OF_RUNS), ("about", *OF_RUNS)),
    *(("guard", "select", "ignore", "fix", "diff"), ("fix", "diff")),
)
"""Options that exclude each other: each with those after it."""

HELP = """\
usage: verger lint [--select CHECK,...] [--ignore CHECK,...] [--target NAME,...]
                   [--fix [--unsafe-fixes] | --diff | --guard] [--format FORMAT]
                   [OPTION...] [FILE|FOLDER|URL|- ...]
       verger lint --list | --about CHECK

Which mistakes are in these robots.txt files?

Each finding has the line, the reason why it matters and, if possible, a URL
that shows it and a fix. For a folder, reads all robots.txt files in it
(default: those below the current folder); for a URL, fetches the robots.txt
file of its origin.

exit code:
  0    no findings at or above --fail-on; with --diff, no fix to make
  1    findings; with --diff, fixes to make
  2    bad usage, or something cannot be read or written
  130  interrupted

examples:
  verger lint robots.txt
  verger lint --fix robots.txt
  verger lint --guard https://example.com
  verger lint --format sarif --output lint.sarif
  verger lint --about RT207
"""


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    _check_usage(args)
    if args.list or args.about:
        sys.stdout.write(checks_table() if args.list else check_page(args.about))
        return FINE
    work = _work(args)
    inputs = inputs_of(args, args.files, "fix" if args.fix else "lint")
    _expect_no_overwriting(args, inputs)
    with TextStream(args.output, _form(args)) as stream:
        tally = _write(args, done_with(args, work, inputs, stream), stream)
    return _close(args, tally)


def _write(args: Namespace, results: Iterator[LintTally], stream: TextStream) -> LintTally:
    """Write the findings of each input, in order."""
    form, tally, has_begun = LINT_FORMATS[_form(args)], LintTally(), False
    for result in results:
        tally.add(result)
        if result.body is not None:
            write_bytes(result.body)
        elif result.text:
            stream.write(form.between if has_begun else form.opening)
            stream.write(shown_diff(result.text, is_terminal=args.diff and stream.isatty()))
            has_begun = True
    if not (tally.files or form.is_whole):
        fail_with(tally.failures)
    stream.write("" if has_begun else form.opening)
    stream.write(form.closing(tally))
    return tally


def _close(args: Namespace, tally: LintTally) -> int:
    """Report the totals over all files, and return the exit code."""
    tell_failures(tally.failures)
    if tally.files:
        say = tally.fixable_in if args.diff else tally.fixed if args.fix else tally.found
        note(args, say())
    return tally.code(args.fail_on)


OPTIONS = (
    options.option(
        "files",
        nargs="*",
        type=options.file,
        metavar="FILE",
        help="a file, a folder, a URL, or `-` for stdin",
    ),
    *(
        options.option(
            f"--{name}",
            action="append",
            metavar="CHECK,...",
            help=f"{what}: codes, prefixes of codes, or names, such as RT3 or shadowed-rule",
        )
        for name, what in (("select", "run only these checks"), ("ignore", "skip these checks"))
    ),
    options.option(
        "--target",
        action="append",
        metavar="NAME,...",
        help="the dialects that matter (default: rfc9309,google,bing,yandex)",
    ),
    options.option(
        "--config",
        type=options.file,
        metavar="FILE",
        help="the settings: a verger.toml or pyproject.toml file (default: the nearest above "
        "each file)",
    ),
    options.option(
        "--fail-on",
        choices=SEVERITIES,
        metavar="SEVERITY",
        default="warning",
        help="exit with 1 for findings of this severity or above: error, warning or note "
        "(default: warning)",
    ),
    options.switch(
        "--guard",
        help="report only what stops a deployment: a site that is closed to search engines, "
        "or a file that is not a robots.txt file",
    ),
    options.switch(
        "--fix",
        help="apply all safe fixes, which change no decision, to the files; stdin goes to stdout",
    ),
    options.switch(
        "--unsafe-fixes",
        help="with --fix or --diff: also make fixes that change decisions",
    ),
    options.switch(
        "--diff",
        help="show what --fix would write as a diff, and write nothing",
    ),
    options.shared(
        "--format",
        choices=FORMATS,
        what="text for people, json for one object, jsonl for one object per file, sarif, github "
        "for annotations, or markdown",
    ),
    options.shared("--output", what="where the findings go; `-` is stdout (default: -)"),
    options.switch(
        "--statistics",
        help="show how often each check fired instead of the findings",
    ),
    options.switch("--list", help="list all checks"),
    options.option("--about", metavar="CHECK", help="explain a check, by code or name"),
    options.shared("--quiet"),
    *options.NETWORK_OPTIONS,
)


# Usage


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect."""
    args.format = options.format_of(args, FORMATS)
    options.expect_exclusive(args, "lint", *EXCLUSIVE)
    refuse_if(
        args.unsafe_fixes and not (args.fix or args.diff),
        "`--unsafe-fixes` is for `--fix` and `--diff`",
        "pass one of them as well",
    )
    for name in ("statistics", "diff", "list", "about"):
        refuse_if(
            getattr(args, name) and args.format != "text",
            f"`--{name}` is text, and the format is {args.format}",
            "leave one of them out",
        )
    refuse_if(
        (args.list or args.about) and args.files,
        f"`--{'list' if args.list else 'about'}` reads no files",
        "leave one of them out",
    )
    options.expect_network_use(args, args.files)
    if args.fix:
        refuse_first(
            (
                any(map(is_url, args.files)),
                "`--fix` is for files",
                "pass `--diff` to see what it would write",
            ),
            (
                STANDARD in args.files
                and (len(args.files) > 1 or args.format != "text" or args.output),
                "with `--fix`, stdin goes to stdout, which can hold nothing else",
                "name files, or pass `-` alone",
            ),
        )


# One file


def _work(args: Namespace) -> Callable[[LintInput], LintTally]:
    """Return the function that lints one file, in this process or in another."""
    config = read_settings(args.config) if args.config else None
    if args.config and config is None:
        table = "tool.verger.lint" if args.config.endswith("pyproject.toml") else "lint"
        raise Failure(f"`{args.config}` has no table `{table}`", "add it, or name another file")
    chosen = tuple(map(_words, (args.select, args.ignore, args.target)))
    Settings().updated(*chosen)  # wrong names are refused before anything is read
    is_to_stdout = args.output in (None, STANDARD)
    palette = Palette.of(sys.stdout) if is_to_stdout else Palette(coloured=False)
    return partial(
        _lint, form=_form(args), mode=_mode(args), config=(config, chosen), palette=palette
    )


def _lint(
    each: LintInput,
    *,
    form: str,
    mode: Mode,
    config: tuple[Settings | None, Sequence[tuple[Any, ...]]],
    palette: Palette,
) -> LintTally:
    """Lint a file.

    form:    the format of the output; `diff` shows what a mode with fixes would write.
    config:  the settings given with `--config`, None for the nearest settings file above the input;
             and what the command line overrides.
    """
    body, fixes = each.read(), LINT_FORMATS[form].fixes
    settings, chosen = config
    settings = (settings or settings_for(each.path)).updated(*chosen)
    name = Path(each.path).name if each.is_on_disk else None
    done = run_on(body, settings, url=each.url, name=name, mode=mode, fixes=fixes)
    if form == "diff":
        changes = patch(each.name, body, done.body)
        counts = Counter(made=len(done.made), refused=len(done.refused), changed=bool(changes))
        result = LintTally(changes, files=1, counts=counts)
        result.notes = _changes(each.name, body, done.body, mode)
        return result
    text = LINT_FORMATS[form].of_file(each, done, palette)
    fired = Counter(one.code for one in done.diagnostics)
    result = LintTally(text, files=1, fired=fired, counts=_counts(done, fixes))
    result.notes = _changes(each.name, body, done.body, mode)
    result.counts["told"] = bool(result.notes)
    if mode.startswith("fix") and each.is_on_disk:
        rewrite(each.path, body, done.body)
    elif mode.startswith("fix"):
        result.body = done.body
    return result


def _changes(name: str, old: bytes, new: bytes, mode: Mode) -> tuple[str, ...]:
    """Return what fixes that change decisions change, for people."""
    if mode != "fix-unsafe" or old == new:
        return ()
    files = parse(old), parse(new)
    proof = prove(*files, dialects=DIALECTS.values())
    return tuple(f"{name}: {line}" for line in proof_lines(*files, proof))


def _counts(done: LintReport, fixes: Tried) -> Counter[str]:
    """Return what is counted for a file; only fixes that were tried together are on offer."""
    found = done.diagnostics
    counts = Counter[str](each.severity for each in found)
    if fixes == "together":
        counts.update(each.fix.applicability for each in found if each.fix)
    counts.update(made=len(done.made), refused=len(done.refused))
    return counts


def _form(args: Namespace) -> str:
    """Return the format, or the option that stands for one."""
    return next((name for name in ("diff", "statistics") if getattr(args, name)), args.format)


def _mode(args: Namespace) -> Mode:
    if args.guard:
        return "guard"
    if args.fix or args.diff:
        return "fix-unsafe" if args.unsafe_fixes else "fix"
    return "lint"


def _words(values: Sequence[str] | None) -> tuple[Any, ...]:
    """Return the words of comma-separated lists."""
    return tuple(word.strip() for value in values or () for word in value.split(","))


def _expect_no_overwriting(args: Namespace, inputs: Sequence[LintInput]) -> None:
    """Refuse an output that is also an input, or a configuration file of one."""
    read = [each.path for each in inputs]
    folders = {str(Path(path).parent): path for path in read if not is_url(path)}
    settings = [args.config] if args.config else chain(*map(files_above, folders.values()))
    options.expect_separate_outputs(args, [args.output or STANDARD], [*read, *settings])
