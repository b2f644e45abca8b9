"""`verger filter` in parts: rows in, rulings of origins, rows out, and what survives a kill."""
