"""One module for each sub-command; each has a `run(arguments)` that returns an exit code."""
