"""The access rules: what a crawler may do after one attempt to fetch robots.txt.

`result` holds the facts of an attempt, `policy` what a dialect makes of them, `freshness` for how
long, `retry` when to try again. Pure: no socket, no clock, no store; time is an argument.
"""
