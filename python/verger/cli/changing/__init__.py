"""What `verger diff` does with snapshots of many sites."""
