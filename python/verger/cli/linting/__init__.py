"""`verger lint` and `verger fmt` in parts: which files, many at once, what is written of each."""
