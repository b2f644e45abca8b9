"""Everything verger raises: misuse by the caller, never the content of a file.

RobotsError
  + InvalidTarget(ValueError)        no scheme and authority, and no path: nothing to ask about
  + InvalidProductToken(ValueError)  the token, and the first character that cannot be in one
  + OutOfScope(ValueError)           the URL belongs to another origin than the file
  + UnknownName(LookupError)         a dialect, knob or value; carries the close match
  + InvalidOption(ValueError)        a setting that cannot be meant, such as no connection at all
  + MissingUserAgent(ValueError)     a client without an identification string
  + CacheError                       a store that cannot be opened, or not be read any more
  |   + NewerSchema                  it was written by a later version of verger
  |   + ReadOnlyStore                it can be read, but not be written to
  + UnreachableFile(OSError)         `verger.fetch` found a site that is closed for now
  + UnusableInput                    a file that cannot be read, or is not what it should be
  |   + InvalidTable(ValueError)     a table, the column that is missing or of another type
  + UnusableOutput(OSError)          a file that cannot be written, or must not be
  + MissingExtra(ImportError)        names the extra to install, or to bring up to date

Messages say what and where; `hint`, where there is one, says what now.
"""

__all__ = [
    "CacheError",
    "InvalidOption",
    "InvalidProductToken",
    "InvalidTable",
    "InvalidTarget",
    "MissingExtra",
    "MissingUserAgent",
    "NewerSchema",
    "OutOfScope",
    "ReadOnlyStore",
    "RobotsError",
    "UnknownName",
    "UnreachableFile",
    "UnusableInput",
    "UnusableOutput",
]


class RobotsError(Exception):
    """The root of verger's exceptions: `str(error)` is the message, `error.hint` the way out."""

    hint: str | None

    def __init__(self, message: str, hint: str | None = None) -> None:
        # Not `super()`: subclasses are of other families, too, which take other arguments.
        Exception.__init__(self, message, hint)
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


class InvalidOption(RobotsError, ValueError):
    """A setting of a client, a transport, a store or a dialect cannot be understood."""


class MissingUserAgent(RobotsError, ValueError):
    """A client was made without the identification string that its requests need."""


class CacheError(RobotsError):
    """A store cannot be used; the cause is chained."""


class NewerSchema(CacheError):
    """A store was written by a later version of verger, which alone understands it."""


class ReadOnlyStore(CacheError):
    """A store can be read and not be written to: what was to be kept is not."""


class UnreachableFile(RobotsError, OSError):
    """A robots.txt file cannot be fetched, and so nothing of its site may be (RFC 9309 section
    2.3.1.4)."""


class UnusableInput(RobotsError):
    """A file cannot be read, or is not what it should be."""


class InvalidTable(UnusableInput, ValueError):
    """A table cannot be read: a column is missing or of another type, or its source failed."""


class UnusableOutput(RobotsError, OSError):
    """A file cannot be written, or is an input and must not be; nothing was changed there."""


class MissingExtra(RobotsError, ImportError):
    """Something was used whose packages are not installed, or too old; the hint names the extra."""

    @classmethod
    def named(cls, extra: str, what: str) -> "MissingExtra":
        """Return the error for `what`, which needs `pip install 'verger[extra]'`."""
        return cls(
            f"{what} needs packages that are not installed", f"pip install 'verger[{extra}]'"
        )

    @classmethod
    def unless_installed(cls, extra: str, what: str) -> "_Imports":
        """Return a context for the imports of `what`, which raises the error where one fails."""
        return _Imports(extra, what)

    @classmethod
    def expect(cls, extra: str, what: str, package: object, *, least: str) -> None:
        """Raise the error where a package is older than `what` needs.

        least:  what pyproject.toml asks for in `extra`: numbers with dots between them.
        """
        installed = str(getattr(package, "__version__", least))
        if _numbers(installed) < _numbers(least):
            name = getattr(package, "__name__", extra)
            raise cls(
                f"{what} needs {name} {least} or later, not {installed}",
                f"pip install --upgrade 'verger[{extra}]'",
            )


class _Imports:
    def __init__(self, extra: str, what: str) -> None:
        self._extra, self._what = extra, what

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ImportError):
            raise MissingExtra.named(self._extra, self._what) from error


def _numbers(version: str) -> list[int]:
    """Return the numbers that a version begins with."""
    numbers = []
    for part in version.split("."):
        if not part.isdecimal():
            break
        numbers.append(int(part))
    return numbers
