"""The parts of `verger audit`."""
