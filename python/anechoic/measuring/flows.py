"""The flows of a measurement, from what the endpoints at both ends of each told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from anechoic.measuring.asking import Schedule, is_timed
from anechoic.measuring.clocks import Comparison, comparison_of
from anechoic.measuring.curves import FlowCurves, acknowledged, curves_of
from anechoic.measuring.logs import Rows, samples_of, stamps_of
from anechoic.measuring.one_way import Passage, departures, passage_of
from anechoic.measuring.timing import Records

NS_PER_S, US_PER_S, NS_PER_MS = 1e9, 1e6, 1e6

_SILENT: Mapping[str, Any] = {
    "round_trips": [],
    "records": [],
    "records_lost": 0,
    "held_us": 0,
    "samples": {"lost": 0},
    "stamps": {"lost": 0},
}
"""What an end says that is no endpoint."""

Plan = Mapping[str, Any]

RECORDING = ("chariot-throughput", "gentragen")
"""Applications of endpoints whose transactions are timed in records."""


@dataclass(frozen=True, slots=True)
class End:
    """One end of a flow: what its endpoint said, and the rows of its logs."""

    told: Mapping[str, Any]
    samples: Rows
    stamps: Rows


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow that was measured."""

    name: str
    curves: FlowCurves
    sender: End
    receiver: End
    lead_s: float
    """How long the endpoints had counted time when the run began."""
    lasted_s: float
    passages: Mapping[str, Passage]
    """Datagrams one way, by the beginning of the names of their metrics."""
    clocks: Comparison | None
    has_records: bool

    @property
    def records(self) -> Records:
        """Give its timing records, which one of its ends has."""
        told = self.sender.told["records"] or self.receiver.told["records"]
        return Records.of(told, self.lead_s)

    @property
    def rows_lost(self) -> int:
        """Count what the endpoints had no room for: samples, stamps and timing records."""
        ends = self.sender.told, self.receiver.told
        logs = [int(end[log]["lost"]) for end in ends for log in ("samples", "stamps")]
        return sum(logs) + sum(int(end["records_lost"]) for end in ends)

    @property
    def clock_ahead_s(self) -> float:
        """Say how far ahead CLOCK_MONOTONIC of the second end was when the run began."""
        assert self.clocks is not None
        lead_ns = self.lead_s * NS_PER_S
        began_ns = int(self.receiver.told["began_ns"]) - int(self.sender.told["began_ns"])
        return (began_ns + float(self.clocks.ahead_at(numpy.array(lead_ns)))) / NS_PER_S

    @property
    def counted(self) -> Mapping[str, Any] | None:
        """Give what an iperf3 server has counted, if one is at an end."""
        found = [end.told.get("counted") for end in (self.sender, self.receiver)]
        return next((each for each in found if each is not None), None)

    def delivered(self, window: tuple[float, float]) -> float | None:
        """Give the bytes that arrived after an instant and by another.

        None where only an iperf3 server knows, which counts datagrams of the whole run.
        """
        if self.curves.delivered:
            before, behind = self.curves.delivered_at(numpy.array(window))
            return float(behind - before)
        is_whole = window[0] <= 0 and window[1] >= self.lasted_s
        counted = self.counted
        return float(counted["bytes"]) if counted is not None and is_whole else None

    def ceiling_share(self, lasted_s: float) -> float:
        """Say for which share of the run the ceiling of an owner held the flow back."""
        held = max(end.told["held_us"] for end in (self.sender, self.receiver))
        return float(held) / US_PER_S / lasted_s


def flows_of(
    plan: Plan,
    schedule: Schedule,
    told: Sequence[Mapping[str, Any]],
    logs: Sequence[tuple[bytes, bytes]],
) -> list[Flow]:
    """Put together what belongs to each flow of a plan."""
    ends = {
        (end["flow"], end["end"]): End(end, samples_of(end, samples), stamps_of(stamps))
        for end, (samples, stamps) in zip(told, logs, strict=True)
    }
    flows = []
    span_s = schedule.lead_ms / 1e3, plan["duration_ns"] / NS_PER_S
    for place, flow in enumerate(plan["flows"]):
        pair = _both(ends.get((place, "initiator")), ends.get((place, "responder")))
        clocks = _clocks((flow["from"], flow["to"]), len(plan["flows"]), schedule, ends)
        flows.append(_flow(flow, *pair, span_s, clocks))
    return flows


def _both(sender: End | None, receiver: End | None) -> tuple[End, End]:
    """Give both ends of a flow.

    Of an iperf3 server one knows what the other end's kernel does, and what its datagrams say.
    """
    if sender is None:
        assert receiver is not None
        return End(_SILENT, receiver.samples[:0], departures(receiver.stamps)), receiver
    if receiver is None:
        known = acknowledged(sender.samples)
        if not len(known):
            # Of datagrams nobody here knows what has arrived.
            sender = End(sender.told, sender.samples[:0], sender.stamps)
        return sender, End(_SILENT, known, sender.stamps[:0])
    return sender, receiver


def _flow(
    flow: Plan,
    sender: End,
    receiver: End,
    span_s: tuple[float, float],
    clocks: Comparison | None,
) -> Flow:
    passages = {}
    lead_s, lasted_s = span_s
    if is_timed(flow) and receiver.told is not _SILENT:
        one, other = sender.stamps, receiver.stamps
        passages[""] = passage_of(one, other, clocks, lead_s, is_answer=False)
        answers = passage_of(other, one, clocks, lead_s, is_answer=True)
        if len(answers.numbers):
            passages["answers."] = answers
    samples = [sender.samples, receiver.samples]
    curves = curves_of(flow["name"], sender.told, samples, lead_s)
    has_records = flow["app"]["kind"] in RECORDING
    of_time = lead_s, lasted_s
    return Flow(flow["name"], curves, sender, receiver, *of_time, passages, clocks, has_records)


def _clocks(
    pair: tuple[int, int],
    behind: int,
    schedule: Schedule,
    ends: Mapping[tuple[int, str], End],
) -> Comparison | None:
    """Compare the clocks of a flow's ends, by the flow behind the plan's that is about them."""
    if pair not in schedule.pairs:
        return None
    place = behind + schedule.pairs.index(pair)
    asker, replier = ends[place, "initiator"], ends[place, "responder"]
    spans = [(begin * NS_PER_MS, end * NS_PER_MS) for begin, end in schedule.spans_ms]
    return comparison_of(asker.stamps, replier.stamps, spans)
