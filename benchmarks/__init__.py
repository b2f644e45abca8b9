"""How fast verger is, beside its peers, and how its work grows. See README.md."""
