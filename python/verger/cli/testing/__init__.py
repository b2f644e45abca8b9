"""What `verger test` reads and writes."""

FORMATS = ("text", "json", "junit")
"""Those of results; what is recorded is TOML."""
