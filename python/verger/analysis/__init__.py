"""What a robots.txt file means for all URLs at once, and edits that prove what they change.

In: parsed files. Out: the same with other rules, byte for byte where nothing was asked for.
"""

from verger.analysis.draft import Edit
from verger.analysis.edit import Editor

__all__ = ["Edit", "Editor"]
