"""The two simulators that Anechoic is held against, as far as this machine has them."""

import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
NS3_HEADERS = Path("/usr/include/ns3")
NS3_LIBRARIES = [
    "wifi",
    "internet",
    "internet-apps",
    "applications",
    "traffic-control",
    "point-to-point",
    "mobility",
    "network",
    "core",
    "stats",
    "propagation",
    "energy",
    "spectrum",
    "antenna",
    "bridge",
]

# The peers' flags for each workload; README.md says what they mean.
NS3 = {
    "A": [],
    "B": ["--nSta=50", "--dir=up", "--proto=udp", "--udpMbps=0.2", "--start=3", "--staggerMs=500"],
}


def ns2(workload: str, seconds: int) -> list[str | Path]:
    """Give ns-2's command: no RTS for A; 50 stations offering 0.2 Mbit/s each for B."""
    seed = "1"
    if workload == "A":
        return ["ns", HERE / "s1.tcl", "0", str(seconds), seed]
    return ["ns", HERE / "udpsat.tcl", "50", str(seconds), seed, "0.2"]


def built_ns3(name: str, build: Path) -> Path | None:
    """Build a program for ns-3, unless it is built; None when it cannot be."""
    source, program = HERE / f"{name}.cc", build / name
    if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
        return program
    if shutil.which("g++") is None or not NS3_HEADERS.exists():
        return None
    build.mkdir(parents=True, exist_ok=True)
    # ns-3's types make themselves known when their library is loaded, so none may be left out.
    flags = ["-O3", "-std=c++17", "-Wl,--no-as-needed"]
    libraries = [f"-lns3-{name}" for name in NS3_LIBRARIES]
    compiled = subprocess.run(["g++", *flags, source, "-o", program, *libraries], check=False)
    return program if compiled.returncode == 0 else None


def commands(workload: str, seconds: int, build: Path) -> dict[str, list[str | Path]]:
    """Give the command of each peer that this machine has."""
    found: dict[str, list[str | Path]] = {}
    program = built_ns3("bss", build)
    if program is not None:
        found["ns-3"] = [program, f"--simTime={seconds}", *NS3[workload]]
    if shutil.which("ns") is not None:
        found["ns-2"] = ns2(workload, seconds)
    return found
