"""The exceptions of a fetch.

ReppyException
  + ContentTooLong        the file has more bytes than `max_size`
  + ServerError           never raised
  + SSLException          the certificate is not trusted, or the handshake failed
  + ConnectionException   no server answered
  + MalformedUrl          the URL, or the target of a redirect, is invalid
  + ExcessiveRedirects    more redirects than are followed
  + ReadTimeout           the server was silent for too long
  + BadStatusCode         the server failed
"""


class ReppyException(Exception):
    """Every exception of reppy."""


class ContentTooLong(ReppyException):
    """The file has more bytes than `max_size`."""


class ServerError(ReppyException):
    """Never raised; exists for `except` clauses that name it."""


class SSLException(ReppyException):
    """The certificate is not trusted, or the handshake failed."""


class ConnectionException(ReppyException):
    """No server answered."""


class MalformedUrl(ReppyException):
    """The URL, or the target of a redirect, is invalid."""


class ExcessiveRedirects(ReppyException):
    """There were more redirects than are followed."""


class ReadTimeout(ReppyException):
    """The server was silent for too long."""


class BadStatusCode(ReppyException):
    """The server failed; the second argument is the status."""
