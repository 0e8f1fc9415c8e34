"""Invented results of the thesis's experiments, for tests of what is made of results.

The goodput is the closed form's with a slight fall over the connections, so that a claim's
check passes; a test bends the one number that the check is about.
"""

from collections.abc import Callable
from itertools import product

from anechoic.calc.tcp_download import NO_RTS, Transfer
from anechoic.calc.timing import IP_BYTES, TCP_BYTES, Radio, ip_msdu_bytes, plcp_us
from anechoic.campaign.cells import Axis, Cell, Value
from anechoic.campaign.replication import summarise
from anechoic.campaign.results import Results
from anechoic.papers.study import shipped
from anechoic.scenario.load import load

THESIS = next(study for study in shipped() if study.id == "goel2006")

MEASURED_S = 290.0
SEGMENT_BITS = 8 * Transfer().segment_bytes
REPLICATIONS = 12

Parameters = dict[str, Value]
Bend = Callable[[Parameters, dict[str, float]], None]
"""Changes the metrics of the cell with these parameters."""


def unbent(_parameters: Parameters, _metrics: dict[str, float]) -> None:
    """Leave the metrics alone."""


def invented(
    name: str, bend: Bend = unbent, replications: int = REPLICATIONS, spread: float = 0.001
) -> Results:
    """Give results of an experiment that pass its claims, unless bent."""
    scenario = load(THESIS.file(name))
    vendor = scenario.ap["office"].profile
    fixed: Parameters = {
        "vendor": vendor,
        "connections": scenario.traffic["pairs"].count or 1,
        "fragmentation_threshold": scenario.ap["office"].fragmentation_threshold or 2346,
        "rts_threshold": scenario.ap["office"].rts_threshold or 0,
    }
    axes = [Axis(s.title, tuple(next(iter(s.columns.values())))) for s in scenario.sweep]
    cells = []
    for values in product(*(axis.values for axis in axes)):
        own = dict(zip((axis.name for axis in axes), values, strict=True))
        metrics = _metrics({**fixed, **own})
        bend({**fixed, **own}, metrics)
        summaries = {
            metric: summarise([value * (1 + spread * (r - 5.5) / 5.5) for r in range(replications)])
            for metric, value in metrics.items()
        }
        cells.append(Cell(own, replications, False, summaries))
    campaign = {
        "name": name,
        "title": scenario.title,
        "file": str(THESIS.file(name)),
        "experiment": THESIS.identity(name),
        "seed": 1,
        "version": "0.1.0",
        "replication": scenario.replication.model_dump(),
    }
    return Results(campaign, scenario, axes, cells)


def _metrics(cell: Parameters) -> dict[str, float]:
    n, threshold = int(cell["connections"]), int(cell["fragmentation_threshold"])
    rts = int(cell["rts_threshold"]) < 1536
    preamble = "long" if cell["vendor"] == "vendor-a" else "short"
    radio = Radio(
        preamble=preamble,
        rts_threshold=0 if rts else NO_RTS,
        fragmentation_threshold=threshold,
    )
    transfer = Transfer(radio)
    goodput = transfer.goodput_mbps * (1 - 0.001 * n)
    segments = goodput * 1e6 * MEASURED_S / SEGMENT_BITS
    exchange = radio.exchange(ip_msdu_bytes(IP_BYTES + TCP_BYTES + transfer.segment_bytes))
    fragments = len(exchange.lengths)
    rts_cts_us = exchange.answered_us - exchange.sifs_us if rts else 0.0
    ledger = _ledger(segments, fragments, n, plcp_us(preamble=preamble), rts_cts_us)
    return {
        "goodput_mbps": goodput,
        "goodput_per_connection_mbps": goodput / n,
        "tcp.retransmissions": 3.0 * n,
        "tcp.retransmissions_spurious": 1.0 * n,
        "tcp.duplicate_acks": 5.0 * n,
        "mac.drops_queue": 2.0 * n,
        "rtt_ms_mean": 8.0 * n,
        "mac.retries": 40.0,
        "mac.rts_frames": segments * rts,
        "mac.fragments_per_msdu": 1.0 if fragments == 1 else 0.67 * fragments + 0.33,
        "collision_probability": 0.03,
        "node.office.attempts": segments * fragments,
        "node.office.retries": 0.0,
        "node.office.fragments_per_msdu": float(fragments),
        "node.office.rts_frames": segments * rts,
        "node.laptop.rts_frames": 0.0,
        "measured_s": MEASURED_S,
        "airtime.tcp_ack_s": 50.0,
        "airtime.tcp_duplicate_ack_s": 0.1 * n,
        "airtime.tcp_retransmission_s": 0.1 * n,
        **ledger,
    }


def _ledger(
    segments: float, fragments: int, n: int, preamble: float, rts_cts_us: float
) -> dict[str, float]:
    frames = segments * fragments
    spent = {
        "payload": segments * 1062e-6,
        "header": frames * 60e-6,
        "preamble": frames * preamble * 1e-6,
        "ack": frames * (preamble + 56) * 1e-6,
        "rts_cts": segments * rts_cts_us * 1e-6,
        "ifs": frames * 20e-6,
        "backoff": 40.0 + 0.05 * n,
        "beacon": 1.2,
    }
    spent["idle"] = max(0.0, MEASURED_S - sum(spent.values()))
    seconds = {f"airtime.{category}_s": value for category, value in spent.items()}
    shares = {f"airtime.{category}_share": v / MEASURED_S for category, v in spent.items()}
    return {**seconds, **shares}
