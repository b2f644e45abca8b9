"""Tests of `verger.access`: what an access result permits, for how long, and when to ask again."""
