"""Captures at the ends of the bottleneck."""

from pathlib import Path
from subprocess import PIPE, Popen

from bottleneck_link.kernel import Broken


def capture(namespace: str, file: Path) -> Popen[str]:
    """Start tcpdump at an end, and wait until it captures."""
    what = ["tcpdump", "-i", "eth", "-s", "120", "-B", "65536", "--time-stamp-precision=nano"]
    line = ["ip", "netns", "exec", namespace, *what, "-U", "-w", str(file), "tcp"]
    tcpdump = Popen(line, stderr=PIPE, text=True)
    assert tcpdump.stderr is not None
    while "listening on" not in (said := tcpdump.stderr.readline()):
        if not said:
            raise Broken("tcpdump captures nothing")
    return tcpdump


def stopped(tcpdump: Popen[str]) -> int:
    """Stop tcpdump; give how many packets it captured, of which it must have dropped none."""
    tcpdump.terminate()
    _, said = tcpdump.communicate()
    counts = {}
    for line in said.splitlines():
        count, _, what = line.strip().partition(" ")
        if count.isdigit():
            counts[what] = int(count)
    if counts.get("packets dropped by kernel", 0):
        raise Broken("tcpdump dropped packets")
    return counts["packets captured"]
