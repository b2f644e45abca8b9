"""`verger diff` and `verger compare` in parts: where the files come from, and how what differs is
written."""
