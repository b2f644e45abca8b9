"""Files: where a path leads, what may be written there, and how.

paths:        a path as the system sees it: a descriptor, a regular file, a device.
formats:      the format that a file name implies.
same_file:    an output is never an input or a store.
robots_file:  a robots.txt file that a user names.
reading:      errors for inputs that cannot be read.
writing:      a file is written completely or not at all; pipes and devices are written to directly.
stdio:        stdin as bytes, and terminals, on which control characters are escaped.
walk:         the files of a project below a folder.
workers:      items read ahead by a thread, and many files shared by several processes.

All code that writes to a path from a caller uses these modules, so that it behaves the same.
"""
