"""Everything verger raises: misuse by the caller, never the content of a file.

RobotsError
  + InvalidTarget(ValueError)        neither an absolute URL nor a path
  + InvalidProductToken(ValueError)  the token, and the first character that cannot be in one
  + OutOfScope(ValueError)           the URL does not belong to the origin of the file
  + UnknownName(LookupError)         a dialect, knob or value; the hint has the closest match
  + InvalidOption(ValueError)        a setting that makes no sense, such as no connection at all
  + MissingUserAgent(ValueError)     a client without an identification string
  + CacheError                       a store that cannot be opened, or can no longer be read
  |   + NewerSchema                  it was written by a later version of verger
  |   + ReadOnlyStore                it can be read, but not written
  + UnreachableFile(OSError)         `verger.fetch` found a site that must not be fetched now
  + UnusableInput                    a file that cannot be read, or is not what it should be
  |   + InvalidTable(ValueError)     a table; names the column that is missing or of the wrong type
  + UnusableOutput(OSError)          a file that cannot or must not be written
  + MissingExtra(ImportError)        names the extra to install or upgrade

Messages say what is wrong and where; `hint`, if there is one, says what to do. Neither shows a
password or a signature of an address.
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
    """The base of verger's exceptions: `error.message` is the message, `error.hint` what to do."""

    hint: str | None

    def __init__(self, message: str, hint: str | None = None) -> None:
        if "://" in f"{message}{hint}":
            from verger.untrusted_text import without_secrets

            message, hint = without_secrets(message), hint and without_secrets(hint)
        # Not `super()`: subclasses also derive from classes that take other arguments.
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
    """The URL does not belong to the origin of the file (RFC 9309 section 2.3)."""


class UnknownName(RobotsError, LookupError):
    """No dialect, knob or value has this name."""


class InvalidOption(RobotsError, ValueError):
    """A setting of a client, a transport, a store or a dialect makes no sense."""


class MissingUserAgent(RobotsError, ValueError):
    """A client was created without the identification string that its requests need."""


class CacheError(RobotsError):
    """A store cannot be used; the cause is chained."""


class NewerSchema(CacheError):
    """A store was written by a later version of verger, and only that version can read it."""


class ReadOnlyStore(CacheError):
    """A store can be read but not written: new results are not kept."""


class UnreachableFile(RobotsError, OSError):
    """A robots.txt file cannot be fetched, so nothing on its site may be fetched.

    RFC 9309 section 2.3.1.4.
    """


class UnusableInput(RobotsError):
    """A file cannot be read, or is not what it should be."""


class InvalidTable(UnusableInput, ValueError):
    """A table cannot be read: a column is missing or of the wrong type, or its source failed."""


class UnusableOutput(RobotsError, OSError):
    """A file cannot be written, or must not be since it is an input; it was not changed."""


class MissingExtra(RobotsError, ImportError):
    """A feature needs packages that are missing or too old; the hint names the extra."""

    is_published = False
    """Whether pip finds verger by its name. A release sets it; a test compares README.md."""

    @classmethod
    def remedy(cls, extra: str, *options: str) -> str:
        """Return the command that installs verger with an extra."""
        name = "verger" if cls.is_published else "./verger"
        where = f", where `{name}` is a checkout: verger is not published yet"
        command = " ".join(("pip install", *options, f"'{name}[{extra}]'"))
        return command if cls.is_published else command + where

    @classmethod
    def named(cls, extra: str, what: str) -> "MissingExtra":
        """Return the error for `what`, which needs an extra of verger."""
        return cls(f"{what} needs packages that are not installed", cls.remedy(extra))

    unless_installed = named
    """The error as a context manager for the imports of `what`, which raises it if one fails.

    No extra mends a failing import of one of verger's own names.
    """

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        is_own = (getattr(error, "name", None) or "").partition(".")[0] == "verger"
        if isinstance(error, ImportError) and not is_own:
            raise self from error

    @classmethod
    def expect(cls, extra: str, what: str, package: object, *, least: str) -> None:
        """Raise the error if a package is older than `what` needs.

        least:  the version that pyproject.toml requires in `extra`, as numbers with dots.
        """
        installed = str(getattr(package, "__version__", least))
        if _numbers(installed) < _numbers(least):
            name = getattr(package, "__name__", extra)
            raise cls(
                f"{what} needs {name} {least} or later, not {installed}",
                cls.remedy(extra, "--upgrade"),
            )


def _numbers(version: str) -> list[int]:
    """Return the leading numbers of a version."""
    from itertools import takewhile

    return list(map(int, takewhile(str.isdecimal, version.split("."))))
