"""The drop-in for reppy 0.4.14, which does not build on any current Python.

    from verger.compat.reppy.robots import Robots                  # was: from reppy.robots import …
    from verger.compat.reppy.cache import AgentCache, RobotsCache  # was: from reppy.cache import …

It has what crawlers import: files, the rules of a crawler in them, caches, and the exceptions of a
fetch. Importing anything else says what to use now; `docs/compat/reppy.md` lists the differences.
"""

from verger.compat.reppy.gone import refuse as __getattr__  # noqa: F401 (PEP 562)
from verger.compat.reppy.robots import Agent as Agent, Robots as Robots
