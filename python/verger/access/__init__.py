"""The access rules: what a crawler may do after it requested robots.txt, once or several times.

`result` holds the facts of one attempt, `entry` the state after all attempts at one origin, also
those that others recorded. `policy` is what a dialect derives from that, `freshness` for how long
and when to try again, `table` the same for the native kernels. `answer` is what all that and the
rules say of a URL; `words` says it to people. Pure: no
socket, no clock, no store; time is an argument.
"""
