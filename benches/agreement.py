"""Compare what Anechoic, tshark and tcptrace count of capture files.

`python benches/agreement.py FILE…` prints, for each direction of each connection, the figures in
which they differ: ours, then theirs. docs/captures.md explains the differences that are known.
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
"""What tshark calls a segment that was sent again."""

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
    one, two = (str(ipaddress.ip_address(each)) for each in (source, destination))
    return one, str(port), two, str(other)


def ours(file: str) -> Counts:
    """Count with Anechoic."""
    counts: Counts = defaultdict(Counter)
    for connection in an.analyse(file).document["connections"]:
        for one, other in (("client", "server"), ("server", "client")):
            sent, peer = connection[one], connection[other]
            key = ends(sent["address"], sent["port"], peer["address"], peer["port"])
            counts[key] += Counter(
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
    """Count with tshark."""
    fields = ["ip.src", "ipv6.src", "tcp.srcport", "ip.dst", "ipv6.dst", "tcp.dstport", "tcp.len"]
    told = [*AGAIN, "out_of_order", "duplicate_ack_num"]
    wanted = [*fields, *(f"tcp.analysis.{name}" for name in told)]
    command = ["tshark", "-n", "-r", file, "-Y", "tcp && !icmp", "-T", "fields"]
    command += ["-E", "occurrence=f", *(part for name in wanted for part in ("-e", name))]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    counts: Counts = defaultdict(Counter)
    for line in lines.splitlines():
        v4, v6, port, to_v4, to_v6, to_port, length, *marks = line.split("\t")
        *again, late, duplicate = map(bool, marks)
        counts[ends(v4 or v6, port, to_v4 or to_v6, to_port)] += Counter(
            packets=1,
            data=int(length) > 0,
            bytes=int(length),
            again=any(again) and int(length) > 0,
            late=late,
            duplicate_acks=duplicate,
        )
    return counts


def tcptrace(file: str) -> Counts:
    """Count with tcptrace."""
    command = ["tcptrace", "--csv", "-l", "-r", "-n", file]
    text = subprocess.run(command, capture_output=True, check=False).stdout.decode("latin-1")
    rows = [line for line in text.splitlines() if line and not line.startswith("#")]
    counts: Counts = defaultdict(Counter)
    for row in csv.DictReader(rows, skipinitialspace=True):
        for one, other in ("ab", "ba"):
            key = ends(*(row[f"{what}_{end}"] for end in (one, other) for what in ("host", "port")))
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
    by_tshark = {"packets", "data", "bytes", "again", "late", "duplicate_acks"}
    for file in sys.argv[1:]:
        mine = ours(file)
        print(f"{file}: {sum(each['packets'] for each in mine.values()):,} segments")
        for name, theirs, figures in (
            ("tshark", tshark(file), by_tshark),
            ("tcptrace", tcptrace(file), set(TCPTRACE)),
        ):
            for line in differences(mine, theirs, figures):
                print(f"  {name}: {line}")


if __name__ == "__main__":
    main()
