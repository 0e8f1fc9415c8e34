"""What the tests share: a stand-in core, the baseline scenario, and a capture."""

import sys
from pathlib import Path

import pytest
import standin

BASELINE = """\
title = "Baseline throughput"

[run]
duration = "300 s"
warmup = "10 s"

[host.server]
stack = "windows-2000"
tcp.data_retries = 500

[ap.office]
profile = "vendor-a"

[sta.laptop]
ap = "office"
stack = "windows-xp"

[wire.uplink]
between = ["server", "office"]
delay = "1 ms"

[air]
loss = "48 dB"

[traffic.pairs]
app = "chariot-throughput"
from = "server"
to = "laptop"
count = 2
"""

SWEPT = (
    BASELINE
    + """
[[sweep]]
name = "connections"
"traffic.pairs.count" = [2, 4, 8]
"traffic.pairs.transactions_per_record" = [16, 8, 4]

[[figure]]
title = "Goodput"
x = "connections"
y = "goodput_mbps"
"""
)


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the stand-ins where the package looks for its compiled core and its report."""
    monkeypatch.setitem(sys.modules, "anechoic._core", standin.module())
    monkeypatch.setitem(sys.modules, "anechoic.report", standin.report())


@pytest.fixture
def baseline(tmp_path: Path) -> Path:
    """Give a scenario file without a sweep."""
    path = tmp_path / "baseline.toml"
    path.write_text(BASELINE, encoding="utf-8")
    return path


@pytest.fixture
def swept(tmp_path: Path) -> Path:
    """Give a scenario file of three cells."""
    path = tmp_path / "swept.toml"
    path.write_text(SWEPT, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the capture of a download in which segments were lost, made by our own tap."""
    from downloads import download

    return download(tmp_path_factory.mktemp("download")).wired


@pytest.fixture
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no sentence be broken, where a test is about its words."""
    monkeypatch.setenv("COLUMNS", "1000")
