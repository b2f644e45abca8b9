"""Where a limit cut a file, in words (RFC 9309 section 2.5).

In: a parsed file that was not read to its end. Out: how many bytes were read, and which limit was
reached: the parsing limit or, in dialects that have one, the limit of lines.
"""

from verger import RobotsTxt


def how_cut(robots: RobotsTxt) -> str:
    """Return `cut at 511,993 bytes (parsing limit 512,000)`, with the file's numbers."""
    max_lines = robots.dialect.max_lines
    if max_lines is not None and _is_cut_after(robots, max_lines):
        limit = f"limit of {max_lines:,} lines"
    else:
        limit = f"parsing limit {robots.dialect.parse_limit:,}"
    return f"cut at {robots.bytes_read:,} bytes ({limit})"


def _is_cut_after(robots: RobotsTxt, number: int) -> bool:
    kinds = [line.kind for line in robots.lines[number - 1 : number + 1]]
    return len(kinds) > 1 and kinds[0] != "beyond-limit" == kinds[1]
