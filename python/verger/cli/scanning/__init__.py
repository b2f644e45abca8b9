"""What `verger scan` tells: which places were skipped, and the table that closes a run."""
