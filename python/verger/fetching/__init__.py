"""Fetching robots.txt: what to request (`plan`), and clients that request it (`aio`, `ftp`, …)."""
