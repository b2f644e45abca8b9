"""Tests of a watch: archives, states, news, and whom they reach."""
