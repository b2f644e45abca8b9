"""The output of `verger filter` on stderr: progress, and the closing table."""
