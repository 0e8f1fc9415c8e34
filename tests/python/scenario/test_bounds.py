"""What no memory holds is refused at once, with what is allowed."""

import os
from pathlib import Path

import pytest

from anechoic.campaign.sweep import cells_of
from anechoic.scenario.compile import compile_scenario
from anechoic.scenario.errors import ScenarioError
from anechoic.scenario.load import load


def refusal(path: Path, **values: object) -> str:
    with pytest.raises(ScenarioError) as refused:
        cells_of(load(path, set={name.replace("__", "."): v for name, v in values.items()}))
    return str(refused.value)


def test_steps_of_a_nanosecond_leave_more_than_a_memory_holds(baseline: Path) -> None:
    said = refusal(baseline, run__series_step="1 ns")
    assert 'run.series_step: "1 ns" leaves 290000000000 rows of ' in said
    assert "allowed: at least " in said
    assert "run.tcp_info_step" in refusal(baseline, run__tcp_info_step="1 us")
    shortest = int(said.partition("at least ")[2].split()[0])
    compile_scenario(load(baseline, set={"run.series_step": f"{shortest} ns"}))


def test_cells_are_counted_before_any_is_compiled(baseline: Path) -> None:
    axes = {"wire.uplink.delay": "ms", "air.loss": "dB", "run.duration": "s"}
    text = baseline.read_text()
    for path, unit in axes.items():
        values = ", ".join(f'"{40 + number / 100:.2f} {unit}"' for number in range(2700))
        text += f'\n[[sweep]]\n"{path}" = [{values}]\n'
    baseline.write_text(text)
    assert "2700 × 2700 × 2700 values make 19683000000 cells; allowed: at most" in refusal(baseline)


def test_stations_and_flows_are_counted_before_any_is_built(baseline: Path) -> None:
    text = baseline.read_text()
    crowd = "".join(
        f'[sta.crowd-{number}]\nap = "office"\nstack = "linux-6"\ncount = 2000\n'
        for number in range(20)
    )
    baseline.write_text(text + crowd)
    assert "the scenario has 40003 nodes; allowed: at most 4000 in all" in refusal(baseline)
    flows = "".join(
        f'[traffic.more-{number}]\napp = "bulk"\nfrom = "server"\nto = "laptop"\ncount = 9000\n'
        for number in range(2)
    )
    baseline.write_text(text + flows)
    assert "18002 flows, with those before it; allowed: at most 16000 in all" in refusal(baseline)


def test_bases_that_double_with_every_level_end(tmp_path: Path) -> None:
    for level in range(40):
        bases = f'"{level + 1}.toml", "{level + 1}.toml"'
        (tmp_path / f"{level}.toml").write_text(f"extends = [{bases}]\n")
    (tmp_path / "40.toml").write_text('title = "base"\n')
    assert "laid over more than 100 files; allowed: at most 100" in refusal(tmp_path / "0.toml")


def test_pipes_and_devices_are_no_files(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    assert refusal(pipe) == f"{pipe}: cannot be read: it is a pipe, not a file"
    assert refusal(Path("/dev/zero")).endswith("it is a device, not a file")
