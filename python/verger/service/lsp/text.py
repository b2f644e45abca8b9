"""The text of a file in an editor: its positions, and its changes.

In: a text, and the unit in which an editor counts. Out: places as (line, character) for offsets in
bytes, and the reverse. A place outside the text becomes the nearest inside it, as the protocol
requires (Language Server Protocol 3.17, "Text Documents"). An editor can send half a surrogate
pair, which is encoded here as the three bytes that UTF-8 would use.
"""

from verger.files.json_text import Json
from verger.files.positions import UNITS, Place, Positions, Span, Unit

__all__ = ["UNITS", "Place", "Span", "Text", "Unit"]


class Text(Positions):
    """The bytes of a file, with the positions of an editor. The bytes do not change."""

    errors = "surrogatepass"

    @classmethod
    def of(cls, text: str, unit: Unit) -> "Text":
        """Return the text for a string from an editor."""
        return cls(_bytes(text), unit)

    def place(self, offset: int) -> Place:
        """Return the place of an offset in bytes; inside a character, the place of its start."""
        return super().place(self._whole(offset))

    def position(self, offset: int) -> Json:
        """Return an offset as a position of the protocol."""
        line, character = self.place(offset)
        return {"line": line, "character": character}

    def range(self, span: Span) -> Json:
        """Return a span as a range of the protocol."""
        start, stop = span
        return {"start": self.position(start), "end": self.position(stop)}

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

    def _whole(self, offset: int) -> int:
        """Return the start of the character at an offset."""
        while offset < len(self.body) and self.body[offset] & 0xC0 == 0x80:
            offset -= 1
        return offset


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
