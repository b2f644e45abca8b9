"""The file under check: parsed once for each target, analysed once, shared by all checks.

In: the bytes of a robots.txt file, and the dialects that matter. Out: a `File`. What several checks
need is computed here, on first use.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from typing import TypeVar, cast

from verger._core import (
    Agent,
    Dialect,
    Finding,
    Group,
    Line,
    RobotsTxt,
    Rule,
