"""The text of a file in an editor: its positions, and its changes.

In: a text, and the unit in which an editor counts. Out: places as (line, character) for offsets in
bytes, and the reverse. A place outside the text becomes the nearest inside it, as the protocol
requires (Language Server Protocol 3.17, "Text Documents"). An editor can send half a surrogate
pair, which is encoded here as the three bytes that UTF-8 would use.
"""

from verger.files.positions import UNITS, Place, Positions, Span, Unit

__all__ = ["UNITS", "Place", "Span", "Text", "Unit"]


class Text(Positions):
    """The bytes of a file, with the positions of an editor. The bytes do not change."""

    errors = "surrogatepass"

    def __init__(self, body: bytes, unit: Unit = "utf-16") -> None:
        super().__init__(body, unit)

    @classmethod
    def of(cls, text: str, unit: Unit) -> "Text":
        """Return the text for a string from an editor."""
        return cls(_bytes(text), unit)

    def place(self, offset: int) -> Place:
        """Return the place of an offset in bytes; inside a character, the place of its start."""
        return super().place(self._whole(offset))

    def offset(self, place: Place) -> int:
        """Return the offset in bytes of a place; inside a character, the offset of its start."""
        line, character = place
        if line >= len(self.starts):
            return len(self.body)
        start, stop = self.line_span(line)
        content = self.body[start:stop]
        if content.isascii() or self.unit == "utf-8":
            return self._whole(min(start + character, stop))
        units = 0
        for each in content.decode("utf-8", self.errors):
            units += 2 if self.unit == "utf-16" and each > "\uffff" else 1
            if units > character:
                break
            start += len(_bytes(each))
        return start

    def changed(self, start: Place, stop: Place, replacement: str) -> "Text":
        """Return the text with the part between two places replaced."""
        first, last = self.offset(start), self.offset(stop)
        body = self.body
        return Text(b"".join((body[:first], _bytes(replacement), body[last:])), self.unit)

    def line(self, line: int) -> bytes:
        """Return the content of a line; empty after the last line."""
        if line >= len(self.starts):
            return b""
        start, stop = self.line_span(line)
        return self.body[start:stop]

    def _whole(self, offset: int) -> int:
        """Return the start of the character at an offset."""
        while offset < len(self.body) and self.body[offset] & 0xC0 == 0x80:
            offset -= 1
        return offset


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
