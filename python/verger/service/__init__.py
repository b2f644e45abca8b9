"""Services: long-running servers for other programs, based on the client and the analysis."""
