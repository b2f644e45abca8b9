"""Places of diagnostics: what to underline in a line, and its columns.

In: the bytes of a file, and diagnostics about it. Out: spans that stay in one line, and columns
from 1. Fastest if requested in the order of the file.
"""

from verger.files.positions import Positions, Span
from verger.lint.diagnostic import Diagnostic


class DiagnosticPlaces(Positions):
    """A file, with the places of diagnostics about it."""

    def line_of(self, diagnostic: Diagnostic) -> Span:
        """Return the bytes of a diagnostic's line, without its end."""
        return self.line_span(min(diagnostic.line, len(self.starts)) - 1)

    def span_of(self, diagnostic: Diagnostic) -> Span:
        """Return the span of a diagnostic, within its line."""
        start, stop = self.line_of(diagnostic)
        first = min(max(diagnostic.span[0], start), stop)
        return first, min(max(diagnostic.span[1], first), stop)

    def columns_of(self, diagnostic: Diagnostic) -> tuple[int, int]:
        """Return the columns where a diagnostic begins and ends, from 1."""
        first, last = self.span_of(diagnostic)
        return self.place(first)[1] + 1, self.place(last)[1] + 1
