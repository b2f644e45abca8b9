"""Everything verger raises: misuse by the caller, never the content of a file.

RobotsError
  + InvalidTarget(ValueError)        no scheme and authority, and no path: nothing to ask about
  + InvalidProductToken(ValueError)  the token, and the first character that cannot be in one
  + OutOfScope(ValueError)           the URL belongs to another origin than the file
  + UnknownName(LookupError)         a dialect, knob or value; carries the close match

Messages say what and where; `hint`, where there is one, says what now.
"""

__all__ = ["InvalidProductToken", "InvalidTarget", "OutOfScope", "RobotsError", "UnknownName"]


class RobotsError(Exception):
    """The root of verger's exceptions: `str(error)` is the message, `error.hint` the way out."""

    hint: str | None

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class InvalidTarget(RobotsError, ValueError):
    """The text is neither an absolute URL nor a path beginning with `/`."""


class InvalidProductToken(RobotsError, ValueError):
    """The text cannot be a product token (RFC 9309 section 2.2.1)."""


class OutOfScope(RobotsError, ValueError):
    """The URL belongs to another origin than the file (RFC 9309 section 2.3)."""


class UnknownName(RobotsError, LookupError):
    """No dialect, knob or value has this name."""
