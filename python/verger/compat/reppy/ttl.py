"""What to use now for reppy's policies of freshness."""

from verger.compat.reppy.gone import refuse as __getattr__  # noqa: F401 (PEP 562)
