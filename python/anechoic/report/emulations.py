"""How the emulations of a campaign went: whether their figures are those of the network."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from anechoic.campaign.cells import Cell
from anechoic.report.tables import table


@dataclass(frozen=True)
class EmulatedRun:
    """An emulation: the cell and replication that it was, and how it went."""

    cell: Cell
    replication: int
    outcome: Mapping[str, Any]

    @property
    def seconds(self) -> float:
        """Say how long it ran."""
        return float(self.outcome["ran_ns"]) / 1e9

    @property
    def reasons(self) -> Sequence[str]:
        """Say why its figures are not the network's; nothing of a valid run."""
        found: Sequence[str] = self.outcome["verdict"]["reasons"]
        return found


def warnings_of(runs: Sequence[EmulatedRun]) -> Iterator[str]:
    """Give the warning about runs that this machine was too slow for."""
    invalid = [run for run in runs if run.reasons]
    if invalid:
        yield (
            f"{len(invalid)} of {len(runs)} emulations are not valid, this machine shows in their "
            f"figures: {invalid[0].reasons[0]}."
        )


def emulations(runs: Sequence[EmulatedRun]) -> str:
    """Give a row for each emulation, and the limits that a valid one keeps to."""
    if not runs:
        return ""
    headings = (
        ("Run", "text"),
        ("Verdict", "text"),
        ("Ran <small>s</small>", ""),
        ("Late out, median <small>µs</small>", ""),
        ("99 % <small>µs</small>", ""),
        ("99.9 % <small>µs</small>", ""),
        ("Late in, 99 % <small>µs</small>", ""),
        ("Stalls", ""),
        ("Frames in", ""),
        ("Frames out", ""),
        ("Lost at ports", ""),
        ("Changed by lateness <small>%</small>", ""),
        ("Longest wait of a program <small>%</small>", ""),
    )
    head = "".join(f'<th class="{kind}">{text}</th>' for text, kind in headings)
    reasons = dict.fromkeys(reason for run in runs for reason in run.reasons)
    listed = "".join(f"<li>{escape(reason)}</li>" for reason in reasons)
    return (
        f'<p class="faint">{escape(_limits(runs[0].outcome["limits"]))}</p>\n'
        f"{table(head, map(_row, runs))}"
        + (f"\n<ul>{listed}</ul>" if listed else "")
        + _programs(runs)
    )


def _programs(runs: Sequence[EmulatedRun]) -> str:
    """Say what ran in the real nodes, and how it ended."""
    found = (each for run in runs for each in run.outcome.get("programs", ()))
    told = Counter((each["node"], each["command"], _ended(each["status"])) for each in found)
    if not told:
        return ""
    rows = (
        f'<tr><td class="text">{escape(node)}</td><td class="text"><code>{escape(command)}</code>'
        f'</td><td class="text">{ended}</td><td>{count}</td></tr>'
        for (node, command, ended), count in told.items()
    )
    texts = "".join(f'<th class="text">{text}</th>' for text in ("Node", "Program", "Ended"))
    return "\n" + table(f"{texts}<th>Runs</th>", rows)


def _ended(status: int | None) -> str:
    return "with the emulation" if status is None else f"by itself, status {status}"


def _limits(limits: Mapping[str, Any]) -> str:
    return (
        "Real kernels and programs on the wall clock. A valid run loses no frame between a kernel "
        f"and the emulator, writes 99 of 100 frames at most {limits['lateness_p99_ns'] / 1e3:g} µs "
        f"late, is kept from running for {limits['stall_ns'] / 1e6:g} ms at most, has flows that "
        f"differ by at most {100 * limits['changed_share']:g} % of their frames when it is run "
        "again without lateness, and programs that wait for a processor at most "
        f"{100 * limits['starved_share']:g} % of the time."
    )


def _row(run: EmulatedRun) -> str:
    outcome = run.outcome
    late, entering = outcome["lateness_out"], outcome["lateness_in"]
    ports, changes = outcome["ports"], outcome["consequences"]
    where = f"{run.cell.name}, " if run.cell.parameters else ""
    texts = (f"{where}{run.replication}", "not valid" if run.reasons else "valid")
    numbers = (
        f"{run.seconds:.1f}",
        *(f"{late[key] / 1e3:.0f}" for key in ("p50_ns", "p99_ns", "p999_ns")),
        f"{entering['p99_ns'] / 1e3:.0f}",
        str(len(outcome["stalls"])),
        str(sum(each["frames_in"] for each in ports)),
        str(sum(each["frames_out"] for each in ports)),
        str(sum(each["lost_in_ring"] + each["not_taken"] for each in ports)),
        f"{100 * changes['changed'] / max(changes['frames'], 1):.2f}",
        f"{100 * outcome['starved_share']:.1f}",
    )
    cells = [f'<td class="text">{escape(text)}</td>' for text in texts]
    return f"<tr>{''.join(cells)}{''.join(f'<td>{number}</td>' for number in numbers)}</tr>"
