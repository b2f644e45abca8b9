"""Answers as text for a person, each with an explanation.

In: rows of answers. Out: lines on a stream; problems go to stderr. Colour only repeats what the
words say, so that nothing is lost without it.
"""

from collections.abc import Iterator, Sequence

from verger.answers.answer import CheckAnswer, Question, Row, labels
from verger.cli.excerpt import Explainer
from verger.cli.exit import message_lines
from verger.cli.palette import Palette, verdict
from verger.cli.progress import Progress
from verger.plain import HEADLINES, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.answers.fetched import Fetched
    from verger.cli.writers import TextStream


class Explained:
    """Every answer in full, with the lines of the file that led to it."""

    def __init__(
        self,
        stream: "TextStream",
        progress: Progress,
        questions: Sequence[Question],
        *,
        several_urls: bool,
        verbose: bool,
    ) -> None:
        self._stream = stream
        self._progress = progress
        self._palette = Palette.of(stream)
        self._names = labels(questions) if len(questions) > 1 else [""]
        self._headed = several_urls or len(questions) > 1
        self._verbose = verbose
        self._explainer = Explainer(self._palette, verbose=verbose)
        self._is_first = True

    def write(self, row: Row) -> None:
        """Write the answers to one URL."""
        for name, answer in zip(self._names, row, strict=True):
            self._write_heading(answer.url, name)
            self._write_answer(answer)

    def _write_heading(self, url: str, name: str) -> None:
        if not self._is_first:
            self._stream.write("\n")
        self._is_first = False
        if self._headed:
            heading = self._palette.paint(printable(url), "bold")
            self._stream.write(f"{heading} for {printable(name)}\n" if name else f"{heading}\n")

    def _write_answer(self, answer: CheckAnswer) -> None:
        if answer.problem is not None:
            if self._headed:
                self._stream.write(self._palette.paint("unanswered", "yellow") + "\n")
            self._progress.say(message_lines(answer.problem.message, answer.problem.hint))
            return
        lines = self._explainer.lines(answer)
        if answer.agent is None and answer.fetched is not None:
            lines = self._without_rules(answer, answer.fetched)
        for line in lines:
            self._stream.write(f"{line}\n")

    def _without_rules(self, answer: CheckAnswer, fetched: "Fetched") -> Iterator[str]:
        """Yield the explanation of an answer without rules."""
        from verger.access.words import happened, measures
        from verger.answers.provenance import explanation

        word, colour = verdict(allowed=answer.allowed is True)
        painted = self._palette.paint(word, "bold", colour)
        why = f"{happened(fetched.last)} ({fetched.policy.section})"
        remarks = [*explanation(fetched), *([measures(fetched.last)] if self._verbose else [])]
        if answer.decision is not None:
            remarks.insert(0, why)
            why = f"{HEADLINES[answer.decision.reason]} ({answer.decision.section})"
        yield f"{painted}: {why}"
        for remark in remarks:
            yield f"{self._palette.paint('  =', 'cyan')} {remark}"
