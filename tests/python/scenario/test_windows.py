"""Parts of the measured time, as a scenario names them."""

import json
from pathlib import Path

import pytest

import anechoic as an
from anechoic import _core

BASELINE = """
[run]
duration = "20 s"
warmup = "2 s"

[host.server]
stack = "windows-2000"

[host.client]
stack = "windows-xp"

[wire.lan]
between = ["server", "client"]
rate = "10 Mbit/s"

[traffic.copy]
app = "bulk"
from = "server"
to = "client"
bytes = "2 MB"
count = 2
start = "5 s"

[traffic.probe]
app = "ping"
from = "client"
to = "server"
"""


def compiled(tmp_path: Path, *windows: str) -> an.Plan:
    path = tmp_path / "lab.toml"
    path.write_text(BASELINE + "\n".join(windows))
    return an.compile_scenario(an.load(path))


def test_a_window_may_begin_and_end_with_traffic(tmp_path: Path) -> None:
    plan = compiled(
        tmp_path,
        '[window.before]\nuntil = "start of traffic.copy"',
        '[window.after]\nfrom = "end of traffic.copy"',
        '[window.late]\nfrom = "10 s"\nuntil = "15 s"',
    )
    assert plan["windows"] == [
        {"name": "before", "from": {"at_ns": 0}, "until": {"start": [0, 1]}},
        {"name": "after", "from": {"end": [0, 1]}, "until": {"at_ns": 20_000_000_000}},
        {"name": "late", "from": {"at_ns": 10_000_000_000}, "until": {"at_ns": 15_000_000_000}},
    ]


def test_a_window_may_wait_for_several(tmp_path: Path) -> None:
    plan = compiled(tmp_path, '[window.rest]\nfrom = "end of traffic.copy, traffic.probe"')
    [rest] = plan["windows"]
    assert rest["from"] == {"end": [0, 1, 2]}


def test_the_metrics_of_a_window_bear_its_name(tmp_path: Path) -> None:
    copying = '[window.copying]\nfrom = "start of traffic.copy"\nuntil = "end of traffic.copy"'
    metrics = _core.run(json.dumps(compiled(tmp_path, copying)), 1).metrics()
    assert metrics["flow.copy-1.bytes@copying"] == metrics["flow.copy-1.bytes"] == 2e6
    # Four megabytes at 10 Mbit/s less headers.
    assert 3.3 < metrics["measured_s@copying"] < 3.8
    assert metrics["goodput_mbps@copying"] > 5 * metrics["goodput_mbps"] * 0.8


def test_a_figure_and_the_stopping_rule_may_ask_for_it(tmp_path: Path) -> None:
    late = '[window.late]\nfrom = "10 s"\n[replication]\nmetric = "goodput_mbps@late"\n'
    compiled(tmp_path, late)
    with pytest.raises(an.ScenarioError, match="did you mean goodput_mbps@late"):
        compiled(tmp_path, late.replace("mbps@late", "mbps@lates"))


@pytest.mark.parametrize(
    ("window", "said"),
    [
        (
            'from = "now"',
            'window.w.from: "now" is refused: not a number with a unit; allowed:',
        ),
        ('from = "10"', 'window.w.from: "10" is refused: a number without a unit'),
        (
            'until = "end of traffic.copi"',
            'window.w.until: there is no traffic "copi"; allowed: copy, probe; did you mean copy?',
        ),
        (
            'until = "end of traffic.copy, traffic.prob"',
            'window.w.until: there is no traffic "prob"; allowed: copy, probe; did you mean probe?',
        ),
        ('from = "20 s"', 'window.w.from: "20 s" is not before the end of the run; allowed: less'),
        ('until = "21 s"', 'window.w.until: "21 s" is behind the end of the run; allowed: at most'),
        ('until = "2 s"', 'window.w.until: "2 s" is not behind the warm-up, in which nothing is'),
        (
            'from = "9 s"\nuntil = "8 s"',
            'window.w.until: "8 s" is not behind its beginning; allowed: more than 9 s',
        ),
    ],
)
def test_a_wrong_window_is_refused(window: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(an.ScenarioError) as refusal:
        compiled(tmp_path, f"[window.w]\n{window}")
    assert said in str(refusal.value)
