"""The parts of `verger agents`: what a site says to each crawler, and how that is written."""
