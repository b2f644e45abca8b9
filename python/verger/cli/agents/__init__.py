"""`verger agents` in parts: what a site says to each crawler, and how that is written."""
