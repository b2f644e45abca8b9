"""The formats of results; what is recorded is TOML."""

FORMATS = ("text", "json", "junit")
