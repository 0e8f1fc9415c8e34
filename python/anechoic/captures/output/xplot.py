"""Time–sequence graphs for xplot, drawn as tcptrace draws them.

A file is a list of drawing commands, a line each: coordinates are seconds since 1970 and sequence
numbers counted from the SYN.
"""

from typing import Any

import pyarrow

_SEGMENT, _ACKED, _WINDOW, _AGAIN, _SACK = "white", "green", "yellow", "red", "purple"
_NEEDED = [
    *("time_ns", "sender", "seq", "seq_end", "flags", "kind", "cause"),
    *("ack", "answer", "window", "sack"),
]
_LABELS = {"timeout": "R", "network_duplicate": "D", "reordering": "O", "window_probe": "P"}
"""What stands at a segment that came again or late; R stands for any retransmission."""


def time_sequence_graph(segments: pyarrow.Table, sender: str, title: str) -> str:
    """Give the graph of what one end of a connection sent and what the other answered."""
    graph = _Graph()
    columns = [_values(segments.column(name)) for name in _NEEDED]
    for values in zip(*columns, strict=True):
        row = dict(zip(_NEEDED, values, strict=True))
        if row["sender"] == sender:
            graph.sent(row)
        else:
            graph.answered(row)
    head = ["timeval unsigned", "title", title, "xlabel", "time", "ylabel", "sequence number"]
    return "\n".join([*head, *graph.lines, "go"]) + "\n"


class _Graph:
    """The commands of a graph, and where its steps have got to."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.ack: tuple[str, int] | None = None
        self.edge: tuple[str, int] | None = None

    def sent(self, row: dict[str, Any]) -> None:
        """Draw a segment as a line from its first to its last number, between two arrows."""
        start, end = row["seq"], row["seq_end"]
        if start is None or start == end:
            return
        at, kind, cause = _time(row["time_ns"]), row["kind"], row["cause"]
        is_again = kind in ("retransmitted", "out_of_order", "syn_again")
        colour = _AGAIN if is_again else _SEGMENT
        self.lines += [
            colour,
            f"line {at} {start} {at} {end}",
            f"darrow {at} {start}",
            f"{'diamond' if row['flags'] & _PUSH else 'uarrow'} {at} {end}",
        ]
        if is_again:
            self.lines += [f"atext {at} {end} {colour}", _LABELS.get(cause, "R")]
        for flag, label in ((_SYN, "SYN"), (_FIN, "FIN")):
            if row["flags"] & flag:
                self.lines += [f"atext {at} {end} orange", label]

    def answered(self, row: dict[str, Any]) -> None:
        """Draw what is acknowledged and allowed as steps, and what is SACKed as lines."""
        if row["ack"] is None:
            return
        at = _time(row["time_ns"])
        if row["answer"] == "duplicate":
            self.lines += [_ACKED, f"utick {at} {row['ack']}"]
        for block in row["sack"] or ():
            self.lines += [_SACK, f"line {at} {block['start']} {at} {block['end']}"]
            self.lines += [f"rtick {at} {block['end']}"]
        self.ack = self._step(self.ack, at, max(row["ack"], self.ack[1] if self.ack else 0), _ACKED)
        if row["window"] is not None:
            self.edge = self._step(self.edge, at, row["ack"] + row["window"], _WINDOW)

    def _step(
        self, last: tuple[str, int] | None, at: str, level: int, colour: str
    ) -> tuple[str, int]:
        if last is not None:
            self.lines += [colour, f"line {last[0]} {last[1]} {at} {last[1]}"]
            if level != last[1]:
                self.lines += [f"line {at} {last[1]} {at} {level}"]
        return at, level


def _values(column: pyarrow.ChunkedArray) -> list[Any]:
    # By way of numpy, as names take `to_pylist` thirty times as long.
    is_named = pyarrow.types.is_dictionary(column.type)
    return list(column.to_numpy() if is_named else column.to_pylist())


# Control bits of the TCP header (RFC 9293 §3.1).
_FIN, _SYN, _PUSH = 0x01, 0x02, 0x08


def _time(time_ns: int) -> str:
    # As tcptrace and xplot have it: microseconds.
    return f"{time_ns // 10**9}.{time_ns % 10**9 // 1000:06d}"
