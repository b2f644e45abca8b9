"""What `verger test` reads and writes."""
