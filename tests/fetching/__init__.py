"""Tests of `verger.fetching`: transports over real sockets on loopback, and their parts."""
