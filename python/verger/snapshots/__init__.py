"""Snapshots: the robots.txt files of many origins, opened from whatever holds them.

In: the path of a folder, a table, an archive or a cache; a table in memory, or files by origin.
Out: a `Snapshot` that `verger.bulk.decide_table` asks. Commands read files from disk as they need
them, by `verger.snapshots.opening`.

>>> from verger.snapshots import open
>>> "https://example.com" in open({"https://example.com": b"User-agent: *\nDisallow: /\n"})
True
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.snapshots.snapshot import Snapshot, open
else:  # type checkers know the names above, and report any other

    def __getattr__(name: str) -> object:
        """Import what is asked for: `verger check` needs files of a folder, and not the kernel."""
        from verger.lazy import load_attribute

        return load_attribute(globals(), dict.fromkeys(__all__, "snapshot"), name, ())


del TYPE_CHECKING

__all__ = ["Snapshot", "open"]
