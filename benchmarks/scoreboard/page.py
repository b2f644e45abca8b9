"""docs/scoreboard.md, from what a run found.

In: scores, the cases of the suite, and checked.toml, what people found when they looked a failure
up. Out: the page as text.
"""

from __future__ import annotations

import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from benchmarks.scoreboard.results import HERE, MAIN, Answered, Peer, Score, peers
from verger.testing import suite

CASES = {(case.specification, case.id): case for case in suite.cases()}
SECTIONS = ("2.1", "2.2", "2.2.1", "2.2.2", "2.2.3", "2.2.4", "2.3.1.5", "2.5", "5.1", "5.2")


def markdown(date: str, scores: Sequence[Score]) -> str:
    """Return the page."""
    head = (HERE / "page.md").read_text("utf-8")
    asked = [score for score in scores if not score.missing]
    parts = {
        "DATE": date,
        "MAIN": "\n".join(main_table(asked)),
        "OTHERS": "\n".join(other_table(asked)),
        "MISSING": "\n".join(missing(scores)),
        "PEERS": "\n".join(line for score in asked for line in portrait(score)),
    }
    for name, text in parts.items():
        head = head.replace(f"{{{{{name}}}}}", text)
    return head


def known() -> dict[str, Peer]:
    """Return the parsers by key."""
    return {peer.key: peer for peer in peers()}


def missing(scores: Sequence[Score]) -> Iterator[str]:
    """Name who was not asked."""
    for score in scores:
        if score.missing:
            yield f"**Not asked: {known()[score.key].title}**: {score.missing}."
            yield ""


# --- tables -------------------------------------------------------------------------------


def main_table(scores: Sequence[Score]) -> Iterator[str]:
    """Yield the table of RFC 9309, best first."""
    yield "| | " + " | ".join(SECTIONS) + " | all | failed | cannot say | left open: same, other |"
    yield "|---|" + "---:|" * (len(SECTIONS) + 4)
    totals = ["", *(str(len(normative(section))) for section in SECTIONS)]
    everything = sum(len(normative(section)) for section in SECTIONS)
    yield "| *cases* | " + " | ".join([*totals[1:], str(everything)]) + " | | | |"
    for score in sorted(scores, key=lambda it: (-passed(it.answered), it.key)):
        yield main_row(score)


def normative(section: str) -> list[str]:
    return [
        case.id
        for case in CASES.values()
        if case.specification == MAIN and case.level == "normative" and case.section == section
    ]


def main_row(score: Score) -> str:
    rows = [one for one in score.answered if one.specification == MAIN]
    cells = []
    for section in SECTIONS:
        its = [one for one in counted(rows) if case_of(one).section == section]
        cells.append(str(sum(one.outcome == "passed" for one in its)))
    cannot = sum(one.outcome == "cannot" for one in counted(rows))
    left_open = [one for one in rows if case_of(one).level == "decision"]
    same = sum(one.outcome == "passed" for one in left_open)
    cells += [f"**{passed(rows)}**", failed(rows), str(cannot)]
    cells.append(f"{same}, {len(left_open) - same}")
    return f"| {name_of(score)} | " + " | ".join(cells) + " |"


def failed(rows: Sequence[Answered]) -> str:
    """Return how many failed, and how many of these are recommendations."""
    its = [one for one in counted(rows) if one.outcome == "failed"]
    recommended = sum(bool(case_of(one).strength) for one in its)
    return f"{len(its)}, {recommended} SHOULD" if recommended else str(len(its))


def other_table(scores: Sequence[Score]) -> Iterator[str]:
    """Yield a row for each other specification that a parser names."""
    yield "| | specification | passed | failed | cannot say | left open: same, other |"
    yield "|---|---|---:|---:|---:|---:|"
    for score in scores:
        for name in known()[score.key].follows:
            rows = [one for one in score.answered if one.specification == name]
            outcomes = Counter(one.outcome for one in counted(rows))
            left_open = [one for one in rows if case_of(one).level == "decision"]
            same = sum(one.outcome == "passed" for one in left_open)
            cells = [str(outcomes[it]) for it in ("passed", "failed", "cannot")]
            cells.append(f"{same}, {len(left_open) - same}")
            yield f"| {name_of(score)} | `{name}` | " + " | ".join(cells) + " |"


def name_of(score: Score) -> str:
    peer = known()[score.key]
    return f"[{peer.title}](#{anchor(peer.title)})"


def anchor(title: str) -> str:
    """Return what GitHub calls a heading."""
    return "".join(
        "-" if letter == " " else letter
        for letter in title.lower()
        if letter.isalnum() or letter in "-_ "
    )


def case_of(one: Answered) -> suite.Case:
    return CASES[one.specification, one.id]


def counted(rows: Sequence[Answered]) -> list[Answered]:
    return [one for one in rows if case_of(one).level == "normative"]


def passed(rows: Sequence[Answered]) -> int:
    return sum(
        one.outcome == "passed" and one.specification == MAIN and case_of(one).level == "normative"
        for one in rows
    )


# --- one parser ---------------------------------------------------------------------------


def portrait(score: Score) -> Iterator[str]:
    """Yield what a parser promises, and where its answers differ."""
    peer = known()[score.key]
    yield f"### {peer.title}"
    yield ""
    note = f", {peer.note}" if peer.note else ""
    yield f"{peer.language}, {score.version}{note}."
    yield f"What its documentation promises: {peer.says}"
    yield ""
    wrong = [one for one in counted(score.answered) if one.outcome == "failed"]
    cannot = [one for one in counted(score.answered) if one.outcome == "cannot"]
    looked_up = checked().get(score.key, {})
    if not wrong:
        yield "No normative case failed."
        yield ""
    for name in peer.specifications:
        its = [one for one in wrong if one.specification == name]
        if its:
            yield f"`{name}`, {len(its)} failed:"
            yield ""
            yield from failures(its)
            yield ""
    if cannot:
        yield f"Cannot say: {', '.join(f'`{one.id}` ({brief(one.why)})' for one in cannot)}."
        yield ""
    if looked_up:
        yield "Looked up:"
        yield ""
        for case, found in looked_up.items():
            yield f"- `{case}`: {found}"
        yield ""
    if wrong:
        again = f"--peer '{peer.title}' --only '{wrong[0].id}'"
        yield f"Again: `.venv/bin/python -m benchmarks.scoreboard {again}`"
        yield ""


def failures(rows: Sequence[Answered]) -> Iterator[str]:
    """Yield a line for what several cases show together."""
    by_about: dict[str, list[Answered]] = defaultdict(list)
    for one in rows:
        by_about[case_of(one).about].append(one)
    for about, its in by_about.items():
        mark = " (SHOULD)" if case_of(its[0]).strength else ""
        yield f"- {about.replace('|', chr(92) + '|')}{mark}"
        yield "  " + ", ".join(f"`{one.id}` {said(one)}" for one in its)


def said(one: Answered) -> str:
    if one.allowed is None:
        return brief(one.why)
    return "allowed" if one.allowed else "disallowed"


def brief(why: str) -> str:
    """Return the words of a parser, on one line."""
    return " ".join(why.split())[:80]


def checked() -> dict[str, dict[str, str]]:
    """Return what was found about failures, by parser and case."""
    table = tomllib.loads((HERE / "checked.toml").read_text("utf-8"))
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for row in table["checked"]:
        found[row["peer"]][row["case"]] = row["found"]
    return found
