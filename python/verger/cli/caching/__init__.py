"""What `verger cache` does with a store: list, show, refresh, export, purge."""
