"""What happened to a connection, in words."""

from collections.abc import Iterator, Mapping
from typing import Any

from anechoic.captures.text.counts import counted, times
from anechoic.captures.text.durations import duration
from anechoic.captures.text.ends import end_name
from anechoic.captures.text.rates import rate
from anechoic.captures.verdicts.causes import CAUSES, STALLS
from anechoic.captures.verdicts.direction import rate_mbps, told_pauses
from anechoic.captures.verdicts.network import marks, reports
from anechoic.captures.verdicts.verdict import (
    UNTOLD,
    doubt,
    is_queueing,
    meaning,
    named,
    percent,
    shares,
    whole_path_ms,
)

Direction = Mapping[str, Any]


def what_happened(connection: Mapping[str, Any], sender: str) -> list[str]:
    """Give sentences on what one end sent and what held it up, the most telling first."""
    sent = connection[sender]
    receiver = connection["server" if sender == "client" else "client"]
    return [
        _amount(sent),
        *_held_up(sent, receiver),
        *_pauses(sent),
        *_again(sent),
        *_in_vain(sent),
        *_kept_alive(sent),
        *_closed(receiver),
        *_network(sent),
        *_round_trips(connection, sent),
        *_doubts(connection, sent),
    ]


def busier_end(connection: Mapping[str, Any]) -> str:
    """Give the end that sent more."""
    amounts = [connection[end]["bytes_unique"] for end in ("client", "server")]
    return "client" if amounts[0] > amounts[1] else "server"


def what_way(connection: Mapping[str, Any], sender: str) -> str:
    """Name what one end sends to the other."""
    receiver = "client" if sender == "server" else "server"
    ends = " → ".join(end_name(connection[end]) for end in (sender, receiver))
    return f"from the {sender}: {ends}"


def _amount(sent: Direction) -> str:
    text = f"{counted(sent['bytes_unique'], 'byte')} in {counted(sent['packets_data'], 'segment')}"
    mbps = rate_mbps(sent)
    if mbps is None:
        return f"It sent {text}."
    took = duration(1e6 * sent["transfer_ms"], digits=4)
    return f"It sent {text} within {took}: {rate(mbps)}."


def _held_up(sent: Direction, receiver: Direction) -> Iterator[str]:
    held = shares(sent)
    untold = held.pop(UNTOLD, 0.0)
    for limit, share in held.items():
        why = meaning(limit, sent, receiver)
        yield f"{percent(share)} of its time it was held up by {named(limit, receiver)}: {why}."
    if untold:
        yield f"For {percent(untold)} of its time what held it up cannot be told from here."
    if (held or untold) and doubt(sent):
        yield f"What held it up is in doubt, as {doubt(sent)}."


def _pauses(sent: Direction) -> Iterator[str]:
    told = [
        f"{STALLS[name]} for {duration(pauses['total_ns'])} ({counted(pauses['count'], 'pause')})"
        for name, pauses in told_pauses(sent).items()
    ]
    if told:
        yield f"In that time it stalled: {', '.join(told)}."


def _again(sent: Direction) -> Iterator[str]:
    again = sent["packets_retransmitted"] + sent["packets_out_of_order"]
    if not again:
        yield "Nothing was retransmitted."
        return
    causes = {
        CAUSES[name]: count
        for name, count in sorted(sent["causes"].items(), key=lambda item: -item[1])
        if count
    }
    told = ", ".join(f"{count} {name}" for name, count in causes.items())
    share = 100 * again / max(sent["packets_data"], 1)
    yield f"{counted(again, 'segment')} ({share:.2g} %) came again or late: {told}."
    if sent["timeouts"]:
        yield f"Its retransmission timer expired {times(sent['timeouts'])}."


def _in_vain(sent: Direction) -> Iterator[str]:
    causes = sent["causes"]
    in_vain = sum(count for cause, count in causes.items() if cause.startswith("needless"))
    if in_vain:
        yield f"{counted(in_vain, 'segment')} went again in vain: the receiver had them."


def _kept_alive(sent: Direction) -> Iterator[str]:
    if sent["keep_alives"]:
        yield f"It sent a keep-alive {times(sent['keep_alives'])}."


def _closed(receiver: Direction) -> Iterator[str]:
    if receiver["window_zero"]:
        yield f"The receiver closed its window {times(receiver['window_zero'])}."


def _network(sent: Direction) -> Iterator[str]:
    for told in (*reports(sent), *marks(sent)):
        yield f"{told[0].upper()}{told[1:]}."


def _round_trips(connection: Mapping[str, Any], sent: Direction) -> Iterator[str]:
    rtt = sent["rtt"]
    if rtt is None or rtt["count"] < 2:
        return
    low, mean, high = (duration(1e6 * rtt[key]) for key in ("min_ms", "mean_ms", "max_ms"))
    text = f"Round trips from the point of capture took {low} to {high}, {mean} in the mean"
    if is_queueing(sent):
        text += ": most of that was queueing or retries on the way, or the receiver's delay"
    whole_ms = whole_path_ms(connection, sent)
    if sent["is_far"]:
        text += ", to the receiver and back alone"
        text += f"; one of the whole path {duration(1e6 * whole_ms)}" if whole_ms else ""
    yield f"{text}."


def _doubts(connection: Mapping[str, Any], sent: Direction) -> Iterator[str]:
    if connection["starts_midway"]:
        yield "The capture begins in the middle of it: window scale and MSS are not known."
    if "cut" in (connection[end]["syn_options"] for end in ("client", "server")):
        yield "Its SYN's options are cut off: window scale, MSS and SACK are not known."
    if sent["bytes_missed"]:
        missed = counted(sent["bytes_missed"], "byte")
        yield f"The capture missed {missed} that the receiver acknowledged."
    if sent["is_offloaded"]:
        yield "Segments larger than its MSS show that the network card cut or joined them."
