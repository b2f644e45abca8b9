"""JSON: an object that follows `schemas/lint-1.schema.json`, in ASCII, a line for each file."""

from verger.cli.inputs import LintInput
from verger.cli.lint_formats.tally import LintTally
from verger.files.json_text import json_text
from verger.files.paths import input_name
from verger.lint import LintReport
from verger.objects.lint import lint_object, lint_summary
from verger.showing.palette import Palette


def json_of_file(each: LintInput, done: LintReport, _palette: Palette) -> str:
    return json_text(lint_object(input_name(each.path), done))


def json_closing(tally: LintTally) -> str:
    summary = lint_summary(tally.files, tally.counts, tally.fired, tally.fired_in)
    unread = [message for message, _ in tally.failures]
    return f'\n], "unread": {json_text(unread)}, "summary": {json_text(summary)}}}\n'
