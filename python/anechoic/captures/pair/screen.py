"""Two captures of one path, for people."""

from pathlib import Path
from typing import Any

from anechoic.captures.doubts.notes import unknown_links
from anechoic.captures.pair.comparison import Pair
from anechoic.captures.text.counts import counted
from anechoic.captures.text.durations import duration
from anechoic.fitting import wrapped

_MOST_DRIFT_PPM = 500
"""What Linux slews a clock by at most (adjtimex, MAXFREQ); a crystal is off by less."""
_ARROWS = {0: "→", 1: "←"}


def text(pair: Pair) -> str:
    """Write what is told of the clocks, of each way, and of what lies between."""
    parts: list[str | None] = [f"clocks: {clock_text(pair)}"]
    parts += [_way(index, way, pair) for index, way in enumerate(pair.document["ways"])]
    found = [*not_read(pair), *doubling(pair), *between(pair)]
    parts += [*([""] if found else []), *found, _closing(pair)]
    return wrapped("\n".join(part for part in parts if part is not None))


def clock_text(pair: Pair) -> str:
    """Say what was found about the clocks."""
    if pair.is_one_capture:
        return "the same, as both files are: there is no path between them"
    clock = pair.clock
    error = clock["error_ns"]
    within = "" if error is None else f", known to ± {_time(error)}"
    allowed = "" if error is None else f"; packets would allow a difference of {_time(error)}"
    match clock["clocks"]:
        case "same":
            return f"taken to be the same, as nothing contradicts it{allowed}"
        case "aligned":
            return f"the second is {_ahead(clock['offset_ns'])}{within}; {_drift(clock)}"
        case "one_way":
            return (
                "packets of one direction only are in both captures, so the fastest is "
                "taken to need no time"
            )
        case _:
            return (
                f"uneven; one was set or slewed by {_time(clock['contradiction_ns'])} "
                "or more, and delays are wrong by as much"
            )


def _drift(clock: dict[str, Any]) -> str:
    """Say how fast the second clock runs, unless the packets leave open whatever a clock may do."""
    low, high = clock["drift_bounds_ppm"]
    if high - low > 2 * _MOST_DRIFT_PPM:
        return f"its drift is not known (between {low:+,.0f} and {high:+,.0f} ppm)"
    return f"it runs {clock['drift_ppm']:+.4g} ppm (between {low:+.4g} and {high:+.4g})"


def _ahead(offset_ns: int) -> str:
    seconds = abs(offset_ns) / 1e9
    return f"{seconds:,.9f} s {'behind' if offset_ns < 0 else 'ahead'}"


def _way(index: int, way: dict[str, Any], pair: Pair) -> str | None:
    segments = on_the_path(way)
    if not segments and not way["outside"]:
        return None
    first, second = names(pair)
    went = counted(segments, "packet")
    if has_large(way):
        passed = counted(way["passed"], "packet")
        went = f"{counted(segments, 'segment')} on the path; those that passed, as {passed}"
    title = f"\n{first} {_ARROWS[index]} {second}: {went}"
    return "\n".join([title, *(f"  {line}" for line in way_lines(way))])


def on_the_path(way: dict[str, Any]) -> int:
    """Count the segments that went a way, a large one as those it is cut into."""
    return sum(way["segments"][fate] for fate in ("passed", "lost", "uncaptured", "appeared"))


def has_large(way: dict[str, Any]) -> bool:
    """Whether the captures have segments whole that are cut on the path."""
    return bool(way["segments"]["passed"] > way["passed"])


def way_lines(way: dict[str, Any]) -> list[str]:
    """Tell of one way, a line for each matter: delays, losses, oddities, the air."""
    lines = []
    delay = way["delay"]
    if delay is not None:
        spread = " / ".join(_time(delay[f"{key}_ns"]) for key in _SPREAD)
        lines.append(f"delay {spread} ({_SPREAD_NAMED})")
    if way["lost"]:
        lines.append(_lost(way))
    lines += [*_multiplicity(way), *_tails(way["tails"]), *_doubled(way)]
    oddities = [f"{way[key]:,} {meaning}" for key, meaning in _ODDITIES.items() if way[key]]
    lines += [", ".join(oddities)] if oddities else []
    return lines + _air(way["air"])


def names(pair: Pair) -> tuple[str, str]:
    """Name the captures as shortly as tells them apart."""
    first, second = (Path(file).name for file in pair.files)
    return (f"{first} (first)", f"{second} (second)") if first == second else (first, second)


_SPREAD = ("min", "median", "mean", "p95", "p99", "max")
_SPREAD_NAMED = " / ".join(_SPREAD)
_ODDITIES = {
    "late": "overtaken by a later one",
    "uncaptured": "missed by the capture they arrived at",
    "appeared": "missed by the capture they came from",
    "outside": "that the other capture could not have, as it did not run yet or any more",
    "ambiguous": "told from another by their order only",
}


def _lost(way: dict[str, Any]) -> str:
    facts = [counted(way["lost_bytes"], "byte")]
    bare = way["lost"] - way["lost_data"]
    if bare:
        facts.append(f"{bare:,} without data")
    if way["lost_needless"]:
        facts.append(f"{way['lost_needless']:,} retransmitted needlessly")
    share = way["lost"] / on_the_path(way)
    return f"lost {way['lost']:,}, {100 * share:.3g} % of all ({', '.join(facts)})"


def _multiplicity(way: dict[str, Any]) -> list[str]:
    lines = []
    for key, outcome in (
        ("lost_times", "came through after being lost"),
        ("lost_for_good_times", "never came through after being lost"),
    ):
        told = [f"{_times(n)}: {count:,}" for n, count in enumerate(way[key], 1) if count]
        if told:
            lines.append(f"segments that {outcome} {', '.join(told)}")
    return lines


def _doubled(way: dict[str, Any]) -> list[str]:
    if not way["doubled"]:
        return []
    before, between = way["doubled_before"], way["doubled_between"]
    at_first = way["doubled"] - before - between
    places = [
        f"{count:,} {where}"
        for count, where in (
            (between, "between the points"),
            (before, "before the first"),
            (at_first, "by the first capture, or before it and lost behind it"),
        )
        if count
    ]
    told = f"doubled {way['doubled']:,}: {', '.join(places)}"
    if way["doubled_reported"]:
        told += f"; {way['doubled_reported']:,} reported by their receiver as received twice"
    return [told]


def _tails(tails: dict[str, Any]) -> list[str]:
    if not tails["lost"]:
        return []
    told = f"tails lost whole {tails['lost']:,}: nothing arrived behind them to ask for them"
    if tails["waited"] is not None:
        spread = " / ".join(_time(tails["waited"][f"{key}_ns"]) for key in _SPREAD)
        told += f"; retransmitted after {spread} ({_SPREAD_NAMED})"
    if tails["lost_for_good"]:
        told += f"; {tails['lost_for_good']:,} never came through"
    return [told]


def _times(count: int) -> str:
    return {1: "once", 2: "twice", 16: "16 times or more"}.get(count, f"{count} times")


def _air(air: dict[str, Any] | None) -> list[str]:
    if air is None:
        return []
    given_up = air["unacknowledged"]
    # A packet has a frame without the retry bit, if all of its frames were captured.
    missed = air["retries"] - (air["frames"] - air["packets"])
    lines = [
        f"on the air: {counted(air['frames'], 'frame')} for {counted(air['packets'], 'packet')}, "
        f"{air['retries']:,} {'retry' if air['retries'] == 1 else 'retries'}"
        + (f"; the first attempts of {counted(missed, 'packet')} missed" if missed > 0 else "")
        + (f"; {counted(given_up, 'packet')} never acknowledged" if given_up else "")
    ]
    for key, what in (
        ("exchange", "first frame to acknowledgment"),
        ("wire_to_acknowledgment", "wire to acknowledgment"),
    ):
        if air[key] is not None:
            spread = " / ".join(_time(air[key][f"{part}_ns"]) for part in _SPREAD)
            lines.append(f"  {what} {spread}")
    return lines


def between(pair: Pair) -> list[str]:
    """Tell what lies between the points: routers, and what changes packets."""
    found: dict[str, int] = {}
    for connection in pair.connections:
        for each in told_between(connection):
            found[each] = found.get(each, 0) + 1
    return [f"{what} ({counted(count, 'connection')})" for what, count in sorted(found.items())]


def told_between(connection: dict[str, Any]) -> set[str]:
    """Tell what lies between the points of a connection."""
    told = set()
    if connection["ends_second"] is not None:
        told.add("addresses or ports are translated")
    for lane in connection["lanes"]:
        if lane["hops"]:
            told.add(f"{counted(abs(lane['hops']), 'router')} between the points")
        told.update(_alteration(each) for each in lane["alterations"])
    return told


def _alteration(alteration: dict[str, Any]) -> str:
    match alteration["kind"]:
        case "sequence_numbers":
            return "sequence numbers are changed"
        case "identification":
            return "the IP identification is changed"
        case "timestamps":
            return "the values of timestamps are changed"
        case "maximum_segment_size":
            return f"the MSS is changed: {alteration['first']} there, {alteration['second']} here"
        case "window_scale":
            return "the window scale is changed"
        case "sack_permitted":
            return "SACK is offered on one side only"
        case _:
            return "timestamps are offered on one side only"


def not_read(pair: Pair) -> list[str]:
    """Say which packets of either capture are of link types that are not read."""
    return [
        f"{file}: {note}"
        for file, capture in zip(names(pair), pair.document["captures"], strict=True)
        for note in unknown_links(capture)
    ]


def doubling(pair: Pair) -> list[str]:
    """Say which captures hold packets twice that were not."""
    return [
        f"{file} doubles packets itself, as a mirror of a switch does: second copies that only it "
        "has are its own, unless their receiver reported them"
        for file, capture in zip(names(pair), pair.document["captures"], strict=True)
        if capture["doubles"]
    ]


def _closing(pair: Pair) -> str:
    count = len(pair.connections) + pair.document["unlisted"]
    facts = [f"\n{counted(count, 'connection')} in both captures"]
    for file, alone, packets in zip(
        names(pair),
        pair.document["connections_alone"],
        pair.document["packets_alone"],
        strict=True,
    ):
        if alone:
            facts.append(f"{alone:,} in {file} only ({counted(packets, 'packet')})")
    return ", ".join(facts)


def _time(ns: float) -> str:
    return duration(ns, digits=4)
