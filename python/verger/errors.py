"""Everything verger raises: misuse by the caller, never the content of a file.

RobotsError
  + InvalidTarget(ValueError)        no scheme and authority, and no path: nothing to ask about
  + InvalidProductToken(ValueError)  the token, and the first character that cannot be in one
  + OutOfScope(ValueError)           the URL belongs to another origin than the file
  + UnknownName(LookupError)         a dialect, knob or value; carries the close match
  + InvalidTable(ValueError)         a table, the column that is missing or of another type
  + MissingUserAgent(ValueError)     a client without an identification string
  + CacheError                       a store that cannot be opened, or not be read any more
  |   + NewerSchema                  it was written by a later version of verger
  + MissingExtra(ImportError)        names the extra to install

Messages say what and where; `hint`, where there is one, says what now.
"""

__all__ = [
    "CacheError",
    "InvalidProductToken",
    "InvalidTable",
    "InvalidTarget",
    "MissingExtra",
    "MissingUserAgent",
    "NewerSchema",
    "OutOfScope",
    "RobotsError",
    "UnknownName",
]


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


class InvalidTable(RobotsError, ValueError):
    """A table cannot be read: a column is missing or of another type, or its source failed."""


class MissingUserAgent(RobotsError, ValueError):
    """A client was made without the identification string that its requests need."""


class CacheError(RobotsError):
    """A store cannot be used; the cause is chained."""


class NewerSchema(CacheError):
    """A store was written by a later version of verger, which alone understands it."""


class MissingExtra(RobotsError, ImportError):
    """Something was used whose packages are not installed; the hint names the extra."""

    @classmethod
    def named(cls, extra: str, what: str) -> "MissingExtra":
        """Return the error for `what`, which needs `pip install 'verger[extra]'`."""
        return cls(
            f"{what} needs packages that are not installed", f"pip install 'verger[{extra}]'"
        )
