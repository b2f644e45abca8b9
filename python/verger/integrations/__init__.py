"""Integrations: verger in programs that fetch, each through the extension point it offers."""
