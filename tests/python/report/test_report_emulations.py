"""The section of a report that says whether emulations show the network or the machine."""

from typing import Any

from anechoic.campaign.cells import Cell, Summaries
from anechoic.report.emulations import EmulatedRun, emulations, warnings_of


def run(replication: int, *reasons: str, changed: int = 5) -> EmulatedRun:
    lateness = {"p50_ns": 25_000, "p99_ns": 80_000, "p999_ns": 200_000, "max_ns": 900_000}
    port = {"frames_in": 300, "frames_out": 200, "lost_in_ring": 1, "not_taken": 2}
    outcome: dict[str, Any] = {
        "ran_ns": 15_200_000_000,
        "lateness_out": lateness,
        "lateness_in": lateness,
        "stalls": [],
        "ports": [port, port],
        "consequences": {"frames": 1000, "changed": changed},
        "starved_share": 0.012,
        "limits": {
            "lateness_p99_ns": 100_000,
            "stall_ns": 50_000_000,
            "changed_share": 0.005,
            "starved_share": 0.05,
        },
        "verdict": {"reasons": list(reasons)},
    }
    cell = Cell({}, 2, False, Summaries([]), {}, ())
    return EmulatedRun(cell, replication, outcome)


def test_each_run_has_its_verdict_lateness_losses_and_share_of_changed_frames() -> None:
    told = emulations([run(0)])
    row = told[told.index("<tbody>") :]
    cells = [each.partition("<")[0] for each in row.split('<td class="text">')[1:]]
    assert cells == ["0", "valid"]
    numbers = [each.partition("<")[0] for each in row.split("<td>")[1:]]
    assert numbers == ["15.2", "25", "80", "200", "80", "0", "600", "400", "6", "0.50", "1.2"]


def test_the_limits_stand_beside_what_is_held_against_them() -> None:
    told = emulations([run(0)])
    for limit in ("at most 100 µs late", "for 50 ms at most", "0.5 % of their frames", "5 % of"):
        assert limit in told


def test_runs_that_are_not_valid_are_warned_of_with_what_to_remove_first() -> None:
    runs = [run(0), run(1, "1 in 100 frames left late: run it as root")]
    (warning,) = warnings_of(runs)
    assert warning.startswith("1 of 2 emulations are not valid")
    assert "run it as root" in warning and "not valid" in emulations(runs)
    assert not list(warnings_of(runs[:1]))


def test_a_simulation_has_no_such_section() -> None:
    assert emulations([]) == ""
