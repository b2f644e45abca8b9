"""verger beside parsers in other languages: same files, same URLs, one run. See protocol.py."""
