"""The JSON documents in a file of another tool, which may hold several, and words between them."""

import bz2
import gzip
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

Document = Mapping[str, Any]

_BEGIN = re.compile(r"^\s*\{", re.MULTILINE)
_OPENERS = {b"\x1f\x8b": gzip.decompress, b"BZh": bz2.decompress}
"""By the first bytes of a compressed file (RFC 1952; bzip2's own)."""


def documents(data: bytes) -> list[Document]:
    """Give the documents of a file, compressed or not; raise ValueError where there is none.

    A tool's own errors and warnings may stand between them, each in lines of its own.
    """
    text = _opened(data).decode("utf-8-sig")
    found = list(_found(text))
    if not found:
        json.loads(text)
        raise TypeError("JSON, but no object")
    return found


def _opened(data: bytes) -> bytes:
    opener = next((own for mark, own in _OPENERS.items() if data.startswith(mark)), bytes)
    try:
        return opener(data)
    except (OSError, EOFError, ValueError, zlib.error):
        raise ValueError("it is compressed, and not whole") from None


def _found(text: str) -> Iterator[Document]:
    decoder, at = json.JSONDecoder(), 0
    while begin := _BEGIN.search(text, at):
        document, at = decoder.raw_decode(text, begin.end() - 1)
        yield document
