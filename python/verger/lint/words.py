"""Words for messages: what stands in a file, safe to show and not too long."""

from verger.plain import printable, shortened

MOST = 60


def quoted(text: str | bytes) -> str:
    """Return a piece of a file between backticks."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "surrogateescape")
    return f"`{shortened(printable(text), MOST)}`"


def listed(numbers: list[int]) -> str:
    """Return `line 3`, or `lines 3, 5 and 8`; of many, the first."""
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    shown = numbers[:4]
    if len(numbers) > len(shown):
        return f"lines {', '.join(map(str, shown))} and {len(numbers) - len(shown):,} more"
    return f"lines {', '.join(map(str, shown[:-1]))} and {shown[-1]}"
