"""Connections that failed and flows that starved, said as they are."""

from collections.abc import Iterator, Sequence

from anechoic.campaign.cells import Cell, of_all
from anechoic.campaign.spans import number

_WAYS = {
    "tcp.failed_timed_out": "nothing was acknowledged any more",
    "tcp.failed_refused": "they were refused",
    "tcp.failed_reset": "they were reset",
}


def failed(all_cells: Sequence[Cell]) -> Iterator[str]:
    """Tell how many connections failed, and why."""
    cells = [cell for cell in all_cells if _mean(cell, "connections_failed") > 0]
    if not cells:
        return
    flows = [sum(name.endswith(".failed_reset") for name in cell.metrics) - 1 for cell in cells]
    of = f"of {_ends(flows)} connections"
    ways = {
        why: [_mean(cell, name) for cell in cells]
        for name, why in _WAYS.items()
        if any(_mean(cell, name) > 0 for cell in cells)
    }
    counts = [_mean(cell, "connections_failed") for cell in cells]
    if max(counts) < 1:
        whole = [cell.metrics["connections_failed"].values for cell in cells]
        runs = [count for values in whole for count in values]
        some = sum(count > 0 for count in runs)
        said = f"In {some} of {len(runs)} runs {of} one or more failed"
        yield f"{said}{_where(cells, all_cells)}, because {', or '.join(ways)}."
        return
    why = ", ".join(f"{_ends(means)} because {reason}" for reason, means in ways.items())
    if len(ways) == 1:
        why = f"because {next(iter(ways))}"
    yield f"On average {_ends(counts)} {of} failed{_where(cells, all_cells)}: {why}."


def starved(all_cells: Sequence[Cell]) -> Iterator[str]:
    """Tell of flows that moved nothing in some runs; those that never did are told of."""
    cells, counts, flows = [], [], []
    for cell in all_cells:
        found = [
            cell.metrics[name]
            for name in cell.metrics
            if name.startswith("flow.") and name.endswith(".bytes")
        ]
        now_and_then = [each.values for each in found if each.max > 0 and each.min == 0]
        if now_and_then:
            cells.append(cell)
            counts += [run.count(0) for run in zip(*now_and_then, strict=True)]
            flows.append(len(found))
    some = [count for count in counts if count]
    if some:
        which = "one" if max(some) == 1 else _ends(some)
        where = _where(cells, all_cells)
        yield (
            f"In {len(some)} of {len(counts)} runs{where} {which} of {_ends(flows)} flows moved "
            "nothing."
        )


def _mean(cell: Cell, name: str) -> float:
    return cell.metrics[name].mean if name in cell.metrics else 0.0


def _where(cells: Sequence[Cell], all_cells: Sequence[Cell]) -> str:
    return f" in {of_all(cells, all_cells)}" if len(all_cells) > 1 else ""


def _ends(values: Sequence[float]) -> str:
    low, high = number(min(values)), number(max(values))
    return low if low == high else f"{low} to {high}"
