"""Answers about use: may what is at a URL be used for a purpose, on this site?

In: an `Answer` about fetching, with all that is known about the site. Out: a `Use`. The core
decides by the file; without one, a closed site closes every use, and an open one says nothing.
"""

from collections.abc import Iterator

from verger._core import UseDecision, UseSignal
from verger.access.answer import Answer, Unanswered, _Value, without_rules
from verger.crawlers.uses import use_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from verger._core import Purpose
    from verger.showing.palette import Palette


class Use(_Value):
    """The answer to one question about use. `bool(use)` is an error: ask `.allowed`.

    answer:    the answer about fetching the URL.
    purpose:   the use that was asked about.
    decision:  the decision by the file; None if no file applies, or there is no answer.
    """

    __slots__ = ("answer", "decision", "purpose")

    def __init__(self, answer: Answer, purpose: "Purpose") -> None:
        self.answer = answer
        self.purpose = purpose
        self.decision: UseDecision | None = None
        if answer.agent is not None and answer.decision is not None:
            url, tokens = answer.decision.url, answer.question.tokens
            self.decision = use_by(answer.agent, url, tokens, purpose)

    @property
    def problem(self) -> Unanswered | None:
        """Why there is no answer; None if there is one."""
        return self.answer.problem

    @property
    def is_closed(self) -> bool:
        """Whether the site is closed to the crawler, without a file that applies."""
        return self.decision is None and self.answer.allowed is False

    @property
    def allowed(self) -> bool | None:
        """Whether the use is allowed; None if nobody said anything, or there is no answer."""
        if self.decision is not None:
            return self.decision.allowed
        return False if self.is_closed else None

    @property
    def reason(self) -> str | None:
        """The reason, as `verger.UseDecision.reason`; of the access policy if the site is closed.
        None if there is no answer."""
        if self.decision is not None:
            return self.decision.reason
        if self.is_closed or self.problem is not None:
            return self.answer.reason
        return "NO_SIGNAL"

    @property
    def section(self) -> str | None:
        """The document that says what this means; None if nobody said anything."""
        if self.decision is not None:
            return self.decision.section
        return self.answer.section if self.is_closed else None

    @property
    def line(self) -> int | None:
        """The 1-based line that decided; None if none did."""
        return None if self.decision is None else self.decision.line

    def as_dict(self) -> "dict[str, Any]":
        """Return the answer as an object that JSON can hold: `use` of `verger check --use`."""
        decision = self.decision
        signals = () if decision is None else decision.signals
        return {
            "purpose": self.purpose,
            "allowed": self.allowed,
            "reason": self.reason,
            "section": self.section,
            "line": self.line,
            "signals": [_signal_object(each) for each in signals],
            "conflicts": [
                [signals.index(each) for each in pair]
                for pair in (() if decision is None else decision.conflicts)
            ],
            "licenses": () if decision is None else decision.licenses,
            "extent": None if decision is None else decision.use,
        }

    def lines(self, palette: "Palette", *, verbose: bool) -> Iterator[str]:
        """Yield the explanation, as `verger check --use` prints it."""
        from verger.showing.excerpt import FileText
        from verger.showing.uses import lines, silence

        site = self.answer.site
        if self.is_closed:
            yield from without_rules(self.answer, palette, verbose=verbose)
            return
        if self.decision is not None:
            text = FileText(self.decision.robots)
            yield from lines(self.decision, palette, text, verbose=verbose)
        else:
            yield silence(self.purpose, palette)
        if site is not None:
            from verger.access.words import because, explanation, provenance

            known = (because(site), *explanation(site, self.answer.now))
            of_file = self.decision is not None
            remarks = provenance(site, self.answer.now) if of_file else known
            yield from (f"{palette.paint('  =', 'cyan')} {each}" for each in remarks)

    def __repr__(self) -> str:
        word = {True: "allowed", False: "disallowed", None: "silent"}[self.allowed]
        shown = "unanswered" if self.problem is not None else word
        return (
            f"Use({shown}, purpose={self.purpose}, reason={self.reason}, url={self.answer.url!r})"
        )

    def __bool__(self) -> "NoReturn":
        raise TypeError("ask `use.allowed`, which may be None: a use is neither true nor false")


def _signal_object(signal: UseSignal) -> dict[str, object]:
    return {
        "mechanism": signal.mechanism,
        "verdict": signal.verdict,
        "line": signal.line,
        "pattern": signal.pattern,
        "section": signal.section,
        "token": signal.token,
        "span": signal.span,
    }
