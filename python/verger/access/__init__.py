"""The access rules: what a crawler may do after it asked for robots.txt, once or several times.

`result` holds the facts of one attempt, `entry` what all attempts at one origin left behind, and
`observation` what somebody else's table says of them. `policy` is what a dialect makes of that,
`freshness` for how long, `retry` when to try again, `table` the same for the native kernels. Pure:
no socket, no clock, no store; time is an argument.
"""
