"""Which of these URLs may this crawler fetch? Tables of any size in bounded memory.

In: URLs in files, as text, JSON Lines, CSV or Parquet; a crawler; a snapshot, or a network to fetch
from. Out: the URLs that are allowed, or every decision with its reason, in a file that is complete
or absent; a killed run can be resumed.
"""

from verger.bulk.filter.progress import Tally, Watcher
from verger.bulk.filter.run import Filtered, filter_urls
from verger.client.network import Network

__all__ = ["Filtered", "Network", "Tally", "Watcher", "filter_urls"]
