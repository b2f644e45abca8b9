"""The command `verger`: what a person types, and what they read."""
