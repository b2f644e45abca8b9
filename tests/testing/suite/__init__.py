"""Tests of the robots.txt test suite: its cases, its pages, and what runs it."""
