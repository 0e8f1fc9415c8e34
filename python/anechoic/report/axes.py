"""What the swept axes are called in figures and tables."""

_FIELDS = {
    "fragmentation_threshold": ("Fragmentation threshold", "bytes"),
    "rts_threshold": ("RTS threshold", "bytes"),
    "queue_packets": ("Queue", "packets"),
    "stack": ("TCP stack", ""),
    "file_size": ("File size", "bytes"),
}
"""Label and unit of fields whose names would not do; what is written with a unit carries it."""


def axis_title(name: str) -> str:
    """Give the label of a swept axis: its own name, or the field of a path and whose it is."""
    *tables, field = name.split(".")
    label, unit = _FIELDS.get(field, (_capitalised(field), ""))
    if field == "loss" and tables[:1] == ["air"]:
        # An axis may be called loss and sweep one of packets.
        label = "Path loss"
    owner = _owner(tables)
    title = f"{label}, {owner}" if owner else label
    return f"{title} ({unit})" if unit else title


def _owner(tables: list[str]) -> str:
    # air.loss and run.duration are nobody's: there is one air and one run.
    named = [table for table in tables[1:] if table not in ("tcp", "link")]
    return named[0] if named else ""


def _capitalised(name: str) -> str:
    # Only the first letter: an abbreviation within a name is none of ours.
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]
