"""Hold a connection that loses data against ns-3's, rule by rule, and print one table.

`python benches/loss_agreement.py` builds `peers/loss.cc`, runs it and the same scenario of ours at
rising rates of loss, and gives the goodput of both: ns-3's first with its own rules, then with one
more of the RFCs' in their place in each column. `--write` puts the table into docs/validation.md,
which explains each difference.
"""

import argparse
import datetime
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import peers
from measuring import ROOT, printed, put_table, run

import anechoic as an
from anechoic.calc.loss import mathis_per_second, pftk_per_second

PAGE = ROOT / "docs" / "validation.md"

LOSSES = (0.001, 0.003, 0.01, 0.02, 0.04, 0.08)
SECONDS = 300
RTT_MS, RATE_MBPS, BUFFER_KIB = 100, 100, 1024
MSS = 1460

OWN = "--control=TcpLinuxReno"
RULES = ("exit", "count", "slow-start", "flight", "backoff")
"""What `peers/loss.cc` knows of the RFCs' rules, in the order in which they are added."""

GOODPUT_APART = 0.05
"""How far apart the two may be under the same rules."""


def runs(loss: float) -> int:
    """Give the number of runs: timeouts, of which there are few, spread goodput at high loss."""
    return 12 if loss < 0.01 else 24


def ns3(program: Path, loss: float, flags: Sequence[str]) -> float:
    """Give ns-3's mean goodput in Mbit/s."""
    wire = [f"--rttMs={RTT_MS}", f"--rateMbps={RATE_MBPS}", f"--buffer={BUFFER_KIB * 1024}"]

    def one(seed: int) -> float:
        flags_of_run = [f"--loss={loss}", f"--seconds={SECONDS}", f"--seed={seed}"]
        return printed(run([program, *wire, *flags_of_run, *flags]).output, "goodput_mbps")

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return statistics.mean(pool.map(one, range(1, runs(loss) + 1)))


def scenario(loss: float) -> an.Scenario:
    """Describe the same wire and connection for us."""
    tcp = {
        "send_buffer_bytes": f"{BUFFER_KIB} KiB",
        "receive_window_bytes": f"{BUFFER_KIB} KiB",
        # As ns-3's program has it: it shall not give up where every third segment is lost.
        "data_retries": 1000,
    }
    host = an.Host(stack="rfc", tcp=tcp)
    drop = an.Drop(towards="receiver", match="tcp-data", probability=loss)
    return an.Scenario(
        run=an.Run(duration=f"{SECONDS} s"),
        host={"sender": host, "receiver": host},
        wire={
            "path": an.Wire(
                between=["sender", "receiver"],
                rate=f"{RATE_MBPS} Mbit/s",
                delay=f"{RTT_MS / 2} ms",
                impair={"loss": drop},
            )
        },
        traffic={"transfer": an.Bulk(from_="sender", to="receiver")},
    )


def ours(loss: float) -> float:
    """Give our mean goodput in Mbit/s."""
    with tempfile.TemporaryDirectory() as folder:
        results = an.run(scenario(loss), reps=runs(loss), progress=False, out=Path(folder))
        return results.cells[0]["goodput_mbps"].mean


def mathis(loss: float) -> float:
    """Give the rate without timeouts in Mbit/s, a segment more in each round trip."""
    return mathis_per_second(loss, RTT_MS / 1e3) * MSS * 8e-6


def padhye(loss: float) -> float:
    """Give the rate with timeouts of 1 s at least, of what arrives."""
    sent = pftk_per_second(loss, RTT_MS / 1e3, timeout_s=1, segments_per_ack=1)
    return sent * (1 - loss) * MSS * 8e-6


def line(program: Path, loss: float) -> str:
    """Measure one rate of loss; give its row."""
    added = [f"--rules={','.join(RULES[:count])}" for count in range(1, len(RULES) + 1)]
    theirs = [ns3(program, loss, [flags]) for flags in (OWN, *added)]
    mine = ours(loss)
    apart = mine / theirs[-1] - 1
    columns = [
        f"{loss * 100:g} %",
        *(f"{each:.3f}" for each in theirs),
        f"{mine:.3f}",
        f"{apart:+.1%}".replace("-", "\N{MINUS SIGN}"),
        "" if abs(apart) <= GOODPUT_APART else "**apart**",
        *(f"{formula(loss):.3f}" for formula in (mathis, padhye)),
    ]
    row = f"| {' | '.join(columns)} |"
    print(row, file=sys.stderr, flush=True)
    return row


def table(rows: Sequence[str]) -> str:
    """Lay the rows out as Markdown, under the date and what was run."""
    rules = [f"+ {rule}" for rule in RULES]
    head = ["loss", "ns-3", *rules, "ours", "apart", "", "Mathis", "Padhye"]
    today = datetime.date.today().isoformat()
    return "\n".join(
        [
            f"{today}, Mbit/s, means of {runs(0)} runs of {SECONDS} s, from 1 % on of {runs(1)}",
            "",
            f"| {' | '.join(head)} |",
            "|---" * len(head) + "|",
            *rows,
        ]
    )


def main() -> None:
    """Measure all rates of loss."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    arguments = parser.parse_args()
    program = peers.built_ns3("loss", ROOT / "target" / "peers")
    if program is None:
        raise SystemExit("ns-3 is not here: Debian's libns3-dev and g++ are needed")
    text = table([line(program, loss) for loss in LOSSES])
    print(text)
    if arguments.write:
        put_table(PAGE, "python benches/loss_agreement.py", text)


if __name__ == "__main__":
    main()
