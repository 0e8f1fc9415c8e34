"""The tables of a measurement's record: those that a simulation has, with the same columns."""

from collections.abc import Iterator, Sequence

import numpy

from anechoic.campaign.steps import TIME
from anechoic.measuring.columns import Columns, ordered, padded, reals, texts, whole
from anechoic.measuring.curves import FlowCurves, seconds_of
from anechoic.measuring.flows import Flow
from anechoic.measuring.logs import NO_CONNECTION, Rows
from anechoic.measuring.radios import Radio
from anechoic.measuring.tcp_info import decoded
from anechoic.tables.table import Floats

RESOLUTION_MS = 0.001
"""What is distributed is counted to the microsecond, in which endpoints tell round trips."""

Window = tuple[float, float]


def series_of(
    flows: Sequence[Flow], radios: Sequence[Radio], window: Window, step_s: float
) -> Columns:
    """Give goodput, round trips, window and retransmissions, and radios' links, step by step."""
    count = round((window[1] - window[0]) / step_s)
    edges: Floats = numpy.linspace(window[0], window[0] + step_s * count, count + 1)
    columns = {TIME: edges[1:]}
    for flow in flows:
        curves, of = flow.curves, f"flow.{flow.name}"
        if curves.delivered:
            arrived = numpy.diff(curves.delivered_at(edges))
            columns[f"{of}.goodput_mbps"] = arrived * 8 / step_s / 1e6
        if len(curves.trips_ms):
            columns[f"{of}.rtt_ms"] = _means(curves, edges)
        if curves.tcp:
            columns[f"{of}.cwnd_bytes"] = curves.tcp_at("cwnd_bytes", edges[1:])
            retransmitted = numpy.nan_to_num(curves.tcp_at("retransmissions", edges))
            columns[f"{of}.retransmissions"] = numpy.diff(retransmitted)
    for radio in radios:
        columns |= radio.series(edges)
    return {name: reals(values) for name, values in columns.items()}


def _means(curves: FlowCurves, edges: Floats) -> Floats:
    """Give the mean of the round trips that ended in each step; NaN where none did."""
    sums, _ = numpy.histogram(curves.trips_s, edges, weights=curves.trips_ms)
    counts, _ = numpy.histogram(curves.trips_s, edges)
    means: Floats = numpy.where(counts > 0, sums / numpy.maximum(counts, 1), numpy.nan)
    return means


def distributions_of(flows: Sequence[Flow], window: Window) -> Columns | None:
    """Count how often each round trip and each delay was measured; None if none was."""
    names: list[str] = []
    places, bins, counts = [], [], []
    for name, values in _distributed(flows, window):
        if len(values):
            found, count = numpy.unique(numpy.floor(values / RESOLUTION_MS), return_counts=True)
            places.append(numpy.full(len(found), len(names)))
            names.append(name)
            bins.append(found * RESOLUTION_MS)
            counts.append(count)
    if not names:
        return None
    begins = numpy.concatenate(bins)
    return {
        "distribution": texts(numpy.concatenate(places), names),
        "from": reals(begins),
        "to": reals(begins + RESOLUTION_MS),
        "count": whole(numpy.concatenate(counts)),
    }


def _distributed(flows: Sequence[Flow], window: Window) -> Iterator[tuple[str, Floats]]:
    for flow in flows:
        yield f"flow.{flow.name}.rtt_ms", flow.curves.trips_within(*window)
        for of, passage in flow.passages.items():
            if passage.is_sure(window):
                yield f"flow.{flow.name}.{of}delay_ms", passage.delays_ms(window)


def datagrams_of(flows: Sequence[Flow]) -> Columns | None:
    """Give a row for each datagram from a flow's first end whose delay is known to a band."""
    known = [
        (place, flow.passages[""]) for place, flow in enumerate(flows) if flow.clocks is not None
    ]
    if not known:
        return None
    passages = [passage for _, passage in known]
    places = [numpy.full(len(passage.numbers), place) for place, passage in known]
    return {
        "flow": texts(numpy.concatenate(places), [flow.name for flow in flows]),
        "number": whole(numpy.concatenate([each.numbers for each in passages])),
        "sent_s": reals(numpy.concatenate([each.sent_s for each in passages])),
        "received_s": reals(numpy.concatenate([each.received_s for each in passages])),
        "size": whole(numpy.concatenate([each.sizes for each in passages])),
    }


def timing_of(flows: Sequence[Flow], window: Window) -> Columns | None:
    """Give the timing records that were completed in a window; None where no flow has any."""
    known = [
        (place, flow.records.within(*window))
        for place, flow in enumerate(flows)
        if flow.has_records
    ]
    if not known:
        return None
    places = [numpy.full(len(records), place) for place, records in known]
    return {
        "flow": texts(numpy.concatenate(places), [flow.name for flow in flows]),
        "index": whole(numpy.concatenate([numpy.arange(len(each)) for _, each in known])),
        "start_s": reals(numpy.concatenate([each.start_s for _, each in known])),
        "elapsed_s": reals(numpy.concatenate([each.elapsed_s for _, each in known])),
        "bytes": whole(numpy.concatenate([each.bytes for _, each in known])),
        "transactions": whole(numpy.concatenate([each.transactions for _, each in known])),
    }


def tcp_info_of(flows: Sequence[Flow], lasted_s: float) -> Columns | None:
    """Give what kernels told of every connection at both ends, decoded, and as they told it."""
    known = [
        (place, end, rows)
        for place, flow in enumerate(flows)
        for end, side in enumerate((flow.sender, flow.receiver))
        if len(rows := _of_connections(side.samples, flow.lead_s, lasted_s))
    ]
    if not known:
        return None
    lead_s = flows[0].lead_s
    told = [decoded(rows["told"], int(rows["length"][0])) for _, _, rows in known]
    # What not every kernel tells stands in the bytes of those that do.
    common = [name for name in told[0] if all(name in each for each in told)]
    columns = {
        "time_s": reals(numpy.concatenate([seconds_of(rows, lead_s) for *_, rows in known])),
        "flow": texts(
            numpy.concatenate([numpy.full(len(rows), place) for place, _, rows in known]),
            [flow.name for flow in flows],
        ),
        "end": texts(
            numpy.concatenate([numpy.full(len(rows), end) for _, end, rows in known]),
            ["sender", "receiver"],
        ),
        "connection": whole(numpy.concatenate([rows["connection"] for *_, rows in known])),
        **{name: whole(numpy.concatenate([each[name] for each in told])) for name in common},
        "raw": padded([rows["told"] for *_, rows in known]),
    }
    return ordered(columns)


def _of_connections(samples: Rows, lead_s: float, lasted_s: float) -> Rows:
    """Give the samples of connections within the run; one taken at its end counts."""
    if "told" not in (samples.dtype.names or ()):
        return samples[:0]
    times = seconds_of(samples, lead_s)
    is_within = (times >= 0) & (times <= lasted_s + 1.0)
    found: Rows = samples[(samples["connection"] != NO_CONNECTION) & is_within]
    return found
