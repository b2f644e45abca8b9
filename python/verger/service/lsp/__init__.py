"""A language server: what verger knows about a robots.txt file, while it is edited.

In: the Language Server Protocol, version 3.17, over two streams. Out: the same. Every feature is a
function from a `Document` and a position in it to values of the protocol, in the module of its name
there: `code_action` (also formatting), `code_lens` (also inlay hints), `completion`, `diagnostics`,
`document_symbol` (also folding ranges), `hover`, `semantic_tokens`. `server` maps them to the
methods of the protocol, and `rpc` carries the messages. It needs only the standard library, so it
works after a bare install and starts in a fraction of a second.
"""

from verger.service.lsp.server import serve

__all__ = ["serve"]
