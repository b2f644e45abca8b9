"""The objects that commands print as JSON and the service answers with, by published schemas."""
