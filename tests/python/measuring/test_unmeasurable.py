"""What of a scenario cannot be measured is refused before anything is sent."""

from pathlib import Path

import pytest

from anechoic.measuring.api import measure
from anechoic.scenario.errors import ScenarioError

SCENARIO = """
run.duration = "2 s"
host.server.stack = "linux-6"
host.laptop.stack = "linux-6"
wire.lan.between = ["server", "laptop"]
traffic.down = { app = "bulk", from = "server", to = "laptop" }
"""


@pytest.mark.parametrize(
    ("sweep", "said"),
    [
        ({"traffic.down.app": ["bulk", "ftp"]}, 'traffic.down.app: traffic "ftp" cannot be'),
        ({"traffic.down.stack": ["linux-2.4", "linux-6"]}, "a flow has the stack of its machine's"),
        ({"run.duration": ["1 s", "2 s"]}, 'no endpoint "server" stands for server'),
    ],
)
def test_every_cell_of_a_sweep_is_looked_at(
    sweep: dict[str, list[str | int]], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / "down.toml"
    file.write_text(SCENARIO)
    with pytest.raises(ScenarioError) as refused:
        measure(file, sweep=sweep, out=tmp_path / "out")
    assert str(refused.value).count(said) == 1
    assert not (tmp_path / "out").exists(), "nothing has begun"
