"""Captures: what was fetched as robots.txt, read from tables and archives in record batches."""
