"""The formats of results; recorded expectations are TOML."""

FORMATS = ("text", "json", "junit")
