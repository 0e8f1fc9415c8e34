"""Compare what Anechoic, tshark and tcptrace count of capture files.

`python benches/agreement.py FILE…` prints, for each direction of each connection, the figures in
which they differ: ours, then theirs. docs/differences.md explains the differences that are known.
"""

import csv
import ipaddress
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator

import anechoic as an

Ends = tuple[str, str, str, str]
Counts = dict[Ends, Counter[str]]

AGAIN = ("retransmission", "fast_retransmission", "spurious_retransmission")
"""What tshark calls a segment that was retransmitted."""

FIELDS = (
    "frame.protocols",
    "ip.src",
    "ip.dst",
    "ipv6.src",
    "ipv6.dst",
    "tcp.srcport",
    "tcp.dstport",
    "tcp.len",
    "tcp.stream",
)
"""What tshark is asked of each packet beside its marks."""

TCPTRACE = {
    "packets": "total_packets",
    "data": "actual_data_pkts",
    "bytes": "actual_data_bytes",
    "unique": "unique_bytes_sent",
    "again": "rexmt_data_pkts",
    "again_bytes": "rexmt_data_bytes",
    "late": "outoforder_pkts",
    "round_trips": "RTT_samples",
}
"""Our figures and tcptrace's columns."""


def ends(source: str, port: str | int, destination: str, other: str | int) -> Ends:
    """Name a direction, however a program writes addresses."""
    # tcptrace leaves out a colon of "::1".
    whole = (f":{each}" if each[:1] == ":" != each[1:2] else each for each in (source, destination))
    one, two = (str(ipaddress.ip_address(each)) for each in whole)
    return one, str(port), two, str(other)


def ours(file: str) -> Counts:
    """Count with Anechoic."""
    counts: Counts = defaultdict(Counter)
    for connection in an.analyse(file).document["connections"]:
        for one, other in (("client", "server"), ("server", "client")):
            sent, peer = connection[one], connection[other]
            key = ends(sent["address"], sent["port"], peer["address"], peer["port"])
            counts[key] += Counter(
                connections=1,
                packets=sent["packets"],
                data=sent["packets_data"],
                bytes=sent["bytes"],
                unique=sent["bytes_unique"],
                again=sent["packets_retransmitted"],
                again_bytes=sent["bytes_retransmitted"],
                late=sent["packets_out_of_order"],
                duplicate_acks=peer["duplicate_acks"],
                round_trips=(sent["rtt"] or {"count": 0})["count"],
            )
    return counts


def tshark(file: str) -> Counts:
    """Count with tshark: of each segment of the innermost TCP of a packet."""
    told = [*AGAIN, "out_of_order", "duplicate_ack_num", "ack_rtt"]
    wanted = [*FIELDS, *(f"tcp.analysis.{name}" for name in told)]
    command = ["tshark", "-n", "-r", file, "-Y", "tcp && !icmp && !icmpv6", "-T", "fields"]
    command += [part for name in wanted for part in ("-e", name)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    counts: Counts = defaultdict(Counter)
    streams = set()
    for line in lines.splitlines():
        protocols, *values = line.split("\t")
        *again, late, duplicate, round_trip = map(bool, values[len(FIELDS) - 1 :])
        segments = list(inner(protocols.split(":"), values))
        for key, length, stream in segments:
            for direction in (key, key[2:] + key[:2]):
                counts[direction]["connections"] += (direction, stream) not in streams
                streams.add((direction, stream))
            # Of several in a frame tshark does not say which one a mark is of.
            is_alone = len(segments) == 1
            counts[key] += Counter(
                packets=1,
                data=length > 0,
                bytes=length,
                again=is_alone and any(again),
                late=is_alone and late,
                duplicate_acks=is_alone and duplicate,
            )
            counts[key[2:] + key[:2]]["round_trips"] += is_alone and round_trip
    return counts


def inner(protocols: list[str], values: list[str]) -> Iterator[tuple[Ends, int, str]]:
    """Give ends, payload and stream of the TCP segments in a packet, perhaps in tunnels."""
    before = protocols[: len(protocols) - protocols[::-1].index("tcp")]
    version = next(name for name in reversed(before) if name in ("ip", "ipv6"))
    split = [value.split(",") for value in values[: len(FIELDS) - 1]]
    sources, destinations = split[0:2] if version == "ip" else split[2:4]
    ports, others, lengths, streams = split[4:]
    for place, length in enumerate(lengths, start=-len(lengths)):
        if ports[place] and length:
            found = sources[place], ports[place], destinations[place], others[place]
            yield ends(*found), int(length), streams[place]


def tcptrace(file: str) -> Counts:
    """Count with tcptrace."""
    command = ["tcptrace", "--csv", "-l", "-r", "-n", file]
    text = subprocess.run(command, capture_output=True, check=False).stdout.decode("latin-1")
    rows = [line for line in text.splitlines() if line and not line.startswith("#")]
    counts: Counts = defaultdict(Counter)
    for row in csv.DictReader(rows, skipinitialspace=True):
        for one, other in ("ab", "ba"):
            key = ends(*(row[f"{what}_{end}"] for end in (one, other) for what in ("host", "port")))
            counts[key]["connections"] += 1
            for figure, column in TCPTRACE.items():
                counts[key][figure] += int(row[f"{column}_{one}2{other}"] or 0)
    return counts


def differences(mine: Counts, theirs: Counts, figures: set[str]) -> Iterator[str]:
    """Write a line for each direction that is counted otherwise."""
    for key in sorted({*mine, *theirs}):
        one, other = (counts.get(key, Counter()) for counts in (mine, theirs))
        found = [
            f"{figure} {one[figure]:,} / {other[figure]:,}"
            for figure in sorted(figures)
            if one[figure] != other[figure]
        ]
        if found:
            yield f"{key[0]}:{key[1]} → {key[2]}:{key[3]}: {', '.join(found)}"


def main() -> None:
    """Compare the files that are named."""
    if len(sys.argv) < 2:
        raise SystemExit("usage: agreement.py FILE…")
    by_tshark = {
        "connections",
        "packets",
        "data",
        "bytes",
        "again",
        "late",
        "duplicate_acks",
        "round_trips",
    }
    for file in sys.argv[1:]:
        mine = ours(file)
        print(f"{file}: {sum(each['packets'] for each in mine.values()):,} segments")
        for name, theirs, figures in (
            ("tshark", tshark(file), by_tshark),
            ("tcptrace", tcptrace(file), {"connections", *TCPTRACE}),
        ):
            if mine and not theirs:
                print(f"  {name}: it tells nothing, as it failed or cannot read the file")
                continue
            for line in differences(mine, theirs, figures):
                print(f"  {name}: {line}")


if __name__ == "__main__":
    main()
