"""Whole tables on Apache Spark: the work of `verger.bulk`, on a cluster.

In: data frames, or names of WARC files. Out: lazy data frames with the same rows as on one machine.
The same native kernels run in Spark's Python workers, on Arrow batches, so verger and pyarrow must
be installed there, too. Needs the extra `spark`.
"""

from verger.errors import MissingExtra

with MissingExtra.unless_installed("spark", "`verger.bulk.spark`"):
    from verger.bulk.spark.comparing import changes
    from verger.bulk.spark.deciding import decide
    from verger.bulk.spark.scanning import captures, scan

__all__ = ["captures", "changes", "decide", "scan"]
