"""`verger block`, `allow` and `minimise` in parts: reading a file whole, writing it, its proof."""
