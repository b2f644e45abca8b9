"""Tests of `verger.testing`: sites in memory, and the test suite for other parsers."""
