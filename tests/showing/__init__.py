"""Tests of `verger.showing`: what terminals and notebooks show."""
