"""How often each check fired, as a table for people."""

from verger.cli.linting.text import Nothing
from verger.lint.check import all_checks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.linting.tally import Tally


class Statistics(Nothing):
    """A line for each check that fired, the most frequent first."""

    def closing(self, tally: "Tally") -> str:
        """Return the table."""
        if not tally.fired:
            return ""
        head = f"{'findings':>10} {'files':>8} {'share':>7}  check\n"
        return head + "".join(
            f"{count:>10,} {tally.fired_in[code]:>8,} {tally.fired_in[code] / tally.files:>7.1%}  "
            f"{code} {all_checks()[code].name}\n"
            for code, count in sorted(tally.fired.items(), key=lambda item: (-item[1], item[0]))
        )
