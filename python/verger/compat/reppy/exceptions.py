"""What a fetch may raise; `url` names the file that was asked for.

ReppyException
  + ContentTooLong        the file has more bytes than `max_size`
  + ServerError           never raised
  + SSLException          the certificate or the handshake is not to be trusted
  + ConnectionException   no server answered
  + MalformedUrl          the URL is none, or a redirect leads to such
  + ExcessiveRedirects    more redirects than are followed
  + ReadTimeout           the server was silent for too long
  + BadStatusCode         the server failed
"""


class ReppyException(Exception):
    """Every exception of reppy."""

    url: str = ""


class ContentTooLong(ReppyException):
    """The file has more bytes than `max_size`."""


class ServerError(ReppyException):
    """The server failed; kept for `except` clauses that name it."""


class SSLException(ReppyException):
    """The certificate or the handshake is not to be trusted."""


class ConnectionException(ReppyException):
    """No server answered."""


class MalformedUrl(ReppyException):
    """The URL is none, or a redirect leads to such."""


class ExcessiveRedirects(ReppyException):
    """There were more redirects than are followed."""


class ReadTimeout(ReppyException):
    """The server was silent for too long."""


class BadStatusCode(ReppyException):
    """The server failed; the second argument is the status."""
