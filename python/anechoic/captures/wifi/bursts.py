"""From the air to TCP: segments that were tried many times on the air, and what TCP did then."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from anechoic.captures.text.aligned import aligned, without_empty
from anechoic.captures.text.counts import counted
from anechoic.captures.text.durations import duration
from anechoic.captures.verdicts.causes import CAUSES
from anechoic.fitting import wrapped

Burst = Mapping[str, Any]

MOST_LINKS = 20
"""Links shown; in cells of many stations the others are counted."""
_EXAMPLES = 3
"""Bursts that are told in a sentence each."""
_UNKNOWN = "unknown"
"""The cause, by its name in `CAUSES`, of what nothing explains."""


@dataclass(frozen=True)
class Link:
    """What one station tried many times for another, and what TCP retransmitted of it."""

    transmitter: str
    receiver: str
    bursts: int
    given_up: int
    causes: Counter[str]
    waits_ns: list[float]
    """From the last attempt on the air until TCP sent the segment again."""

    @property
    def name(self) -> str:
        """Who sends to whom."""
        return f"{self.transmitter} → {self.receiver}"

    @property
    def wait_ns(self) -> tuple[float | None, float | None]:
        """The median and the longest wait, if TCP sent anything again."""
        return (median(self.waits_ns), max(self.waits_ns)) if self.waits_ns else (None, None)


def with_payload(wifi: Mapping[str, Any]) -> list[Burst]:
    """Give the bursts of segments with payload: no others are retransmitted."""
    return [burst for burst in wifi["bursts"] if burst["payload"]]


def repairs_of_given_up(wifi: Mapping[str, Any] | None) -> set[int]:
    """Give the numbers of the packets that retransmitted what the air had given up."""
    told = [] if wifi is None else with_payload(wifi)
    return {
        burst["again"]["packet"] for burst in told if burst["again"] and not burst["is_delivered"]
    }


def links(bursts: Sequence[Burst]) -> list[Link]:
    """Add bursts up by transmitter and receiver, first those of which TCP sent most again."""
    groups: dict[tuple[str, str], list[Burst]] = {}
    for burst in bursts:
        groups.setdefault((burst["transmitter"], burst["receiver"]), []).append(burst)
    found = [_link(*ends, group) for ends, group in groups.items()]
    return sorted(found, key=lambda link: (-len(link.waits_ns), -link.bursts))


def _link(transmitter: str, receiver: str, bursts: Sequence[Burst]) -> Link:
    again = [burst["again"] for burst in bursts if burst["again"]]
    given_up = sum(not burst["is_delivered"] for burst in bursts)
    causes = Counter(each["cause"] or _UNKNOWN for each in again)
    waits_ns = [1e6 * each["after_ms"] for each in again]
    return Link(transmitter, receiver, len(bursts), given_up, causes, waits_ns)


def causes_of(found: Sequence[Link]) -> list[str]:
    """Give the causes that any link has, in the order in which all tables have them."""
    return [cause for cause in CAUSES if any(link.causes[cause] for link in found)]


def text(document: Mapping[str, Any]) -> str:
    """Write how many there were, a line for each link, and those that TCP took longest for."""
    bursts = with_payload(document["wifi"])
    if not bursts:
        return ""
    found = links(bursts)
    causes = causes_of(found)
    head = ["", "segments", "given up", "retransmitted", "median wait", "longest"]
    rows = [[*head, *(CAUSES[cause] for cause in causes)]]
    rows += [_row(link, causes) for link in found[:MOST_LINKS]]
    told = wrapped(f"From the air to TCP: {summary(document)}")
    lines = [told, *aligned(without_empty(rows))]
    if len(found) > MOST_LINKS:
        lines.append(f"  and {counted(len(found) - MOST_LINKS, 'more such pair')}")
    lines += [wrapped(f"  {sentence(burst)}") for burst in examples(bursts)]
    return "\n".join([*lines, "  all of them: wifi.bursts of --json, wifi/bursts.csv of --out"])


def _row(link: Link, causes: Sequence[str]) -> list[str]:
    waits = ("" if wait is None else duration(wait) for wait in link.wait_ns)
    amounts = (link.bursts, link.given_up, len(link.waits_ns))
    told = (link.causes[cause] for cause in causes)
    return [
        link.name,
        *(f"{amount:,}" for amount in amounts),
        *waits,
        *(f"{count:,}" if count else "" for count in told),
    ]


def summary(document: Mapping[str, Any]) -> str:
    """Say how many segments were tried often, and which of TCP's retransmissions that explains."""
    wifi = document["wifi"]
    bursts = with_payload(wifi)
    were = "was" if len(bursts) == 1 else "were"
    tried = f"{counted(len(bursts), 'segment')} {were} tried four times or more"
    # What is on the air a second time, from the access point on, has no cause of its own.
    behind = {
        burst["again"]["packet"] for burst in bursts if burst["again"] and burst["again"]["cause"]
    }
    sent_again = sum(
        connection[end]["packets_retransmitted"] + connection[end]["packets_out_of_order"]
        for connection in document["connections"]
        for end in ("client", "server")
    )
    parts = [
        tried,
        f"of {sent_again:,} retransmitted or late by TCP, {len(behind):,} came behind that",
    ]
    if wifi["bursts_unlisted"]:
        parts.append(f"{wifi['bursts_unlisted']:,} more, too many to be listed")
    return "; ".join(parts)


def examples(bursts: Sequence[Burst]) -> list[Burst]:
    """Give the bursts after which TCP took longest to send the segment again, the longest first."""
    felt = [burst for burst in bursts if burst["again"]]
    felt.sort(key=lambda burst: -float(burst["again"]["after_ms"]))
    return felt[:_EXAMPLES]


def sentence(burst: Burst) -> str:
    """Say what became of a segment that the MAC tried many times and TCP retransmitted."""
    first = burst["seq"] if burst["relative_seq"] is None else burst["relative_seq"]
    which = f"segment {first}:{first + burst['payload']}"
    if burst["connection"] is not None:
        which += f" of connection {burst['connection'] + 1}"
    took = duration(burst["last_ns"] - burst["first_ns"])
    tried = f"was tried {burst['attempts']} times on the air in {took}"
    fate = "then acknowledged" if burst["is_delivered"] else "and never acknowledged"
    again = burst["again"]
    cause = CAUSES.get(again["cause"] or "")
    why = f" ({cause})" if cause else ""
    return (
        f"{which} {tried}, {fate}; TCP sent it again {duration(1e6 * again['after_ms'])} later{why}"
    )
