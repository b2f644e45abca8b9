"""Files that are compressed in a way that nothing here unpacks.

In: how a file begins. Out: nothing, or an error that says what unpacks it.
"""

from verger.errors import InvalidTable
from verger.plain import quoted

PACKERS = {
    b"BZh": ("bzip2", "bzip2 -dc"),
    b"\xfd7zXZ\0": ("xz", "xz -dc"),
    b"\x28\xb5\x2f\xfd": ("zstd", "zstd -dc"),
    b"PK\x03\x04": ("zip", "unzip -p"),
}
"""How files begin that are compressed, but not with gzip; with what, and what unpacks them."""


def expect_unpacked(name: str, beginning: bytes) -> None:
    """Refuse a file that is compressed, but not with gzip. Raises InvalidTable."""
    for magic, (packer, command) in PACKERS.items():
        if beginning.startswith(magic):
            why = f"{quoted(name)} is compressed with {packer}"
            raise InvalidTable(why, f"unpack it first: `{command}`")
