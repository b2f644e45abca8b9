"""The access rules: what a crawler may do after it requested robots.txt, once or several times.

`result` holds the facts of one attempt, `entry` the state after all attempts at one origin, and
`observation` attempts that others recorded. `policy` is what a dialect derives from that,
`freshness` for how long, `retry` when to try again, `table` the same for the native kernels. `site`
is what all that says of one origin, `answer` what it and the rules say of a URL, and `words` says
it to people. Pure: no socket, no clock, no store; time is an argument.
"""
