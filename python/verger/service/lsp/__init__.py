"""A language server: what verger knows of a robots.txt file, while it is written.

In: the Language Server Protocol, version 3.17, over two streams. Out: the same. Every feature is a
function from a `Document` and a place in it to plain values, in a module of its own; `server` gives
them their names in the protocol, and `rpc` carries the messages. It stands on the standard library
alone, so that it works after a bare install and is up in a fraction of a second.
"""

from verger.service.lsp.server import serve

__all__ = ["serve"]
