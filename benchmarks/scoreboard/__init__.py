"""Parsers of robots.txt, from the registries of five languages, through the test suite."""
