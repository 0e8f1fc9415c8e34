"""The 802.11 frames of a capture as an Arrow table."""

from typing import TYPE_CHECKING

from anechoic.captures.fields.described import described, names
from anechoic.captures.tables.columns import arrays, is_set, meanings, named
from anechoic.scenario.core import Columns

if TYPE_CHECKING:
    import pyarrow


def frames_table(columns: Columns) -> "pyarrow.Table":
    """Give a row for each frame."""
    import pyarrow

    raw = arrays(columns)
    return pyarrow.table(
        {
            **raw,
            "kind": named(raw["kind"], meanings()["frame"]),
            "transmitter": _addresses(raw["transmitter"]),
            "receiver": _addresses(raw["receiver"]),
            "is_retry": is_set(raw["is_retry"]),
            "has_more_fragments": is_set(raw["has_more_fragments"]),
        }
    ).select(names(described("frames")))


def _addresses(numbers: "pyarrow.Array") -> "pyarrow.Array":
    """Give MAC addresses in the usual form; a capture has few, each often."""
    import pyarrow

    coded = numbers.dictionary_encode()
    texts = [number.to_bytes(6).hex(":") for number in coded.dictionary.to_pylist()]
    return pyarrow.DictionaryArray.from_arrays(
        coded.indices, pyarrow.array(texts, pyarrow.string())
    )
