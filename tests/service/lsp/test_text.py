"""Places in a text, as an editor counts them, beside a reference that counts one by one."""

import pytest
from hypothesis import given, strategies as st

from verger import parse
from verger.service.lsp.text import UNITS, Text, Unit

texts = st.text(st.sampled_from("ab#:\r\n\u2028\x0b\x85é€😀\ud83d\ude00"), max_size=24)
WIDTHS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
SIZES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their ends, as the protocol has them."""
    lines = [""]
    for at, each in enumerate(text):
        lines[-1] += each
        if each == "\n" or (each == "\r" and text[at + 1 : at + 2] != "\n"):
            lines.append("")
    return lines


def units(text: str, unit: Unit) -> int:
    return sum(len(each.encode(WIDTHS[unit], "surrogatepass")) for each in text) // SIZES[unit]


def octets(text: str) -> bytes:
    return b"".join(each.encode("utf-8", "surrogatepass") for each in text)


@pytest.mark.parametrize("unit", UNITS)
@given(text=texts)
def test_places_and_offsets(unit: Unit, text: str) -> None:
    """Each character has its place, and each place its character; in any order."""
    there = Text.of(text, unit)
    offset, expected = 0, []
    for number, line in enumerate(lines_of(text)):
        content = line.rstrip("\r\n")
        for at in range(len(content) + 1):
            expected.append(
                (offset + len(octets(content[:at])), (number, units(content[:at], unit)))
            )
        offset += len(octets(line))

    for at, place in [*expected, *reversed(expected)]:
        assert place == there.place(at)
        assert at == there.offset(place)
    assert text == there.body.decode("utf-8", "surrogatepass")


@given(text=texts, first=st.integers(0, 30), last=st.integers(0, 30), new=texts)
@pytest.mark.parametrize("unit", UNITS)
def test_changes(unit: Unit, text: str, first: int, last: int, new: str) -> None:
    """A change replaces what stands between two places, and nothing else."""
    characters = list(text)
    start, stop = sorted((min(first, len(text)), min(last, len(text))))
    before, behind = "".join(characters[:start]), "".join(characters[stop:])
    there = Text.of(text, unit)
    ends = [there.place(len(octets(part))) for part in (before, "".join(characters[:stop]))]
    if [there.offset(end) for end in ends] != [len(octets(before)), len(octets(text[:stop]))]:
        return  # between CR and LF, which no editor names

    assert octets(before) + octets(new) + octets(behind) == there.changed(*ends, new).body


@pytest.mark.parametrize(
    ("unit", "characters"),
    [("utf-8", [0, 0, 0, 0, 4, 5]), ("utf-16", [0, 0, 4, 5, 5]), ("utf-32", [0, 4, 5, 5])],
)
def test_a_place_within_a_character(unit: Unit, characters: list[int]) -> None:
    """It is where the character begins; behind the end of a line it is that end."""
    text = Text.of("😀x\ny", unit)

    assert characters == [text.offset((0, at)) for at in range(len(characters))]


def test_an_offset_within_a_character() -> None:
    """It is where the character begins, and between CR and LF the end of the line."""
    text = Text.of("é\r\nx", "utf-16")

    assert [(0, 0), (0, 0), (0, 1), (0, 1), (1, 0), (1, 1)] == [text.place(at) for at in range(6)]


@given(text=texts)
def test_lines_are_those_of_verger(text: str) -> None:
    """But for one more behind the last line end, where an editor has its cursor."""
    there = Text.of(text, "utf-8")
    spans = [line.span for line in parse(there.body).lines]

    starts = [there.offset((number, 0)) for number in range(len(lines_of(text)))]
    assert [start for start, _ in spans] == starts[: len(spans)]
    assert len(starts) - len(spans) == (not there.body or there.body.endswith((b"\r", b"\n")))
