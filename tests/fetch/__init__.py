"""Tests of `verger.fetch`: transports over real sockets on loopback, and what they are made of."""
