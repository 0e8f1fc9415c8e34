"""A figure of what TCP_INFO said over time, where connections were sampled."""

from pathlib import Path
from typing import Any

import pytest

import anechoic as an
from anechoic.report import write_figures

QUEUE = an.DropTail(packets=8)


def scenario(step: str | None) -> an.Scenario:
    values: dict[str, Any] = {} if step is None else {"tcp_info_step": step}
    return an.Scenario(
        run=an.Run(duration="5 s", **values),
        host={"a": an.Host(stack="rfc"), "b": an.Host(stack="rfc")},
        wire={
            "w": an.Wire(between=["a", "b"], rate="2 Mbit/s", delay="10 ms", queue=QUEUE),
        },
        traffic={"data": an.Bulk(from_="a", to="b", count=6)},
        sweep=[an.Sweep(columns={"wire.w.queue.packets": [8, 20]})],
    )


@pytest.mark.parametrize("step", ["100 ms", "5 s"])
def test_each_cell_has_a_figure_of_its_first_connections(step: str, tmp_path: Path) -> None:
    write_figures(an.run(scenario(step), reps=1, out=tmp_path, progress=False), tmp_path)
    figures = {path.name for path in (tmp_path / "figures").glob("connections*.svg")}
    windows, rtt = "connections", "connections-rtt"
    names = {windows, f"{windows}-2", rtt, f"{rtt}-2"}
    assert figures == {f"{name}.svg" for name in names}
    drawn = (tmp_path / "figures" / "connections-2.svg").read_text(encoding="utf-8")
    assert "wire.w.queue.packets = 20" in drawn
    assert [f"data-{n}" in drawn for n in (1, 4, 5)] == [True, True, False]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "the first 4 connections of the first 8 cells" in page


def test_without_samples_there_is_none(tmp_path: Path) -> None:
    write_figures(an.run(scenario(None), reps=1, out=tmp_path, progress=False), tmp_path)
    assert not list((tmp_path / "figures").glob("connections*"))
