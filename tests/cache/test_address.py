"""Addresses of caches: a path, or the URL of a server, and nothing else."""

import pytest

from verger.cache.address import is_server
from verger.cache.opening import store_at
from verger.errors import CacheError


@pytest.mark.parametrize(
    "url", ["s3://bucket/cache", "redis+socket://x", "https://example.com", "svn+ssh://host/c"]
)
def test_url_of_anything_else(url: str) -> None:
    """It is not the path of a folder."""
    with pytest.raises(CacheError, match="not the URL of a Redis server"):
        store_at(url)


@pytest.mark.parametrize("path", ["a.sqlite3", "a:b", "://", "1://x", "ü://x", "a b://c"])
def test_paths_with_colons(path: str) -> None:
    """Without a scheme it is a path."""
    assert not is_server(path)
