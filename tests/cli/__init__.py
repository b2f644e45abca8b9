"""Tests of the command `verger`, as a process and as a function."""
