"""Files: where a path leads, what may be written there, and how.

places:   a path as the system sees it: a descriptor, a regular file, a device.
formats:  what a name says of a file's format.
apart:    an output is never an input, nor another's store.
spoken:   whether stderr is an output.
writing:  a file is there complete or not at all; what is not a regular file is written through.

Whatever writes to a path that a caller named uses these, so that all behave alike.
"""
