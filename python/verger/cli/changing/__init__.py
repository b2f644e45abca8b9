"""`verger diff` for snapshots of many sites."""
