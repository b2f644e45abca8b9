"""What answers other programs: servers that keep running, on the client and the analysis."""
