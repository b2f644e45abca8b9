"""The drop-in for reppy 0.4.14, which does not build on any current Python.

    from verger.compat.reppy.robots import Agent, Robots           # was: from reppy.robots import …
    from verger.compat.reppy.cache import AgentCache, RobotsCache  # was: from reppy.cache import …

Modules and names are those of reppy. Differences are listed in `docs/compat/reppy.md`.
"""

from verger.compat.reppy.robots import Agent, Robots
from verger.compat.reppy.util import logger

__all__ = ["Agent", "Robots", "logger"]
