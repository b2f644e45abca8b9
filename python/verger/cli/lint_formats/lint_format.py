"""What a format is made of, and what several say of a finding alike."""

from collections.abc import Callable
from dataclasses import dataclass

from verger.cli.inputs import LintInput
from verger.cli.lint_formats.tally import LintTally
from verger.lint import Diagnostic, LintReport
from verger.lint.fixing import Tried
from verger.showing.palette import Palette


@dataclass(frozen=True, slots=True)
class LintFormat:
    """One format of output.

    of_file:   returns the output for one file; empty if there is nothing to report.
    opening:   the text before all files.
    closing:   returns the text after all files.
    between:   the text between the outputs of two files.
    is_whole:  whether the output is one document, complete even if no file could be read.
    fixes:     how far fixes are tried, as `run_on` says: one by one for other programs, which apply
               those of JSON and SARIF.
    """

    of_file: Callable[[LintInput, LintReport, Palette], str] = lambda *_: ""
    opening: str = ""
    closing: Callable[[LintTally], str] = lambda _: ""
    between: str = ""
    is_whole: bool = False
    fixes: Tried = "as-checked"


def parts(
    each: Diagnostic, shown: Callable[[str], str], witness: Callable[[str], str]
) -> list[str]:
    """Return what a diagnostic says: the finding, the URL that shows it, and the fix.

    shown:    returns the text of a sentence.
    witness:  returns the text of the URL.
    """
    said = [shown(f"{each.message}: {each.why}")]
    if each.witness is not None:
        said.append(witness(each.witness))
    if each.fix is not None:
        said.append(f"fix: {shown(each.fix.title)}")
    return said
