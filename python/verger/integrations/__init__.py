"""Integrations: verger inside the programs that fetch, each through the seam that it offers."""
