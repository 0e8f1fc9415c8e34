"""What the swept axes are called in figures and tables, and where their values stand."""

from collections.abc import Sequence

from anechoic.campaign.cells import Value
from anechoic.report.chart import Scale, scale_of_numbers
from anechoic.scenario.quantities import DIMENSIONS, NUMBER, Dimension

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
    title, unit = _named(name)
    return f"{title} ({unit})" if unit else title


def scale_along(name: str, values: Sequence[Value]) -> tuple[Scale, list[float]]:
    """Give the scale of a swept axis, and the place of each value on it."""
    title, unit = _named(name)
    numbers, found = numbers_of(values)
    if numbers and (scale := scale_of_numbers(title, unit or found, numbers)):
        return scale, numbers
    order = sorted(range(len(values)), key=numbers.__getitem__) if numbers else range(len(values))
    names = [tick(values[place]) for place in order]
    return Scale(title, unit, names=names), [float(order.index(i)) for i in range(len(values))]


def numbers_of(values: Sequence[Value]) -> tuple[list[float], str]:
    """Give the values as numbers of one unit, and that unit; no numbers if they are none."""
    if all(is_number(value) for value in values):
        return [float(value) for value in values], ""
    texts = [value for value in values if isinstance(value, str)]
    for dimension in DIMENSIONS:
        if len(texts) == len(values) and all(_is_of(dimension, text) for text in texts):
            units = [
                unit for text in texts if (match := NUMBER.fullmatch(text)) and (unit := match[2])
            ]
            unit = max(units, key=units.count)
            base = dimension.units[unit]
            return [float(dimension.parse(text) / base) for text in texts], unit
    return [], ""


def is_number(value: Value) -> bool:
    """Say whether a value has a place on a scale."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def tick(value: Value) -> str:
    """Write a swept value at a tick."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is_of(dimension: Dimension, text: str) -> bool:
    match = NUMBER.fullmatch(text)
    if match is None or match[2] not in dimension.units:
        return False
    try:
        dimension.parse(text)
    except ValueError:
        # A label may be any text, one that no field would take as well.
        return False
    return True


def _named(name: str) -> tuple[str, str]:
    *tables, field = name.split(".")
    label, unit = _FIELDS.get(field, (_capitalised(field), ""))
    if field == "loss" and tables[:1] == ["air"]:
        # An axis may be called loss and sweep one of packets.
        label = "Path loss"
    owner = _owner(tables)
    return f"{label}, {owner}" if owner else label, unit


def _owner(tables: list[str]) -> str:
    # air.loss and run.duration are nobody's: there is one air and one run.
    named = [table for table in tables[1:] if table not in ("tcp", "link")]
    return named[0] if named else ""


def _capitalised(name: str) -> str:
    # Only the first letter: an abbreviation within a name is none of ours.
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]
