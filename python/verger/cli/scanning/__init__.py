"""The output of `verger scan` on stderr: what was skipped, and the closing table."""
