"""Names of crawlers in a file: anything after them, such as a version, does not count.

RFC 9309 section 2.3.1.5: the parts of a malformed line that can be parsed are used.
"""

from verger._core import Group, _leading_name

NO_CRAWLER = "mozilla"
"""What headers of browsers and of most crawlers begin with: no crawler has this name."""


def name_of(value: str) -> str:
    """Return the crawler that the value of a start-group line names; the value if it has none."""
    return _leading_name(value) or value


def tokens_of(group: Group) -> list[str]:
    """Return the product tokens of the crawlers that a group names."""
    return list(map(name_of, group.product_tokens))
