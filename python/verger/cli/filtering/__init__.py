"""What `verger filter` shows: how far it is, and the table at its end."""
