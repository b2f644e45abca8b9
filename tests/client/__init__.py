"""Clients: from URL to answer, over sites in memory, with a clock that stands still."""
