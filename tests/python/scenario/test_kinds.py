"""What the core declares is written, refused and explained like all else in a scenario."""

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import BASELINE
from refused import refusal_of

import anechoic as an
from anechoic import _core
from anechoic.campaign.sweep import cells_of
from anechoic.scenario.explain import explained
from anechoic.scenario.kinds import CHOICES

PAYLOAD = (
    'a whole number of bytes, or a number with its unit, such as "1472 B" '
    "(units: B, bytes, kB, KiB, MB, MiB, GB, GiB), more than zero, at most 1472 B"
)
PROBE = """
[traffic.probe]
app = "ping"
from = "laptop"
to = "server"
"""

# What is added to traffic, and what is said of it.
WRONG_TRAFFIC = {
    "a size that fits no frame": (
        "payload = 2000",
        f"payload: 2000 is refused: too large; allowed: {PAYLOAD}",
    ),
    "nothing to send": ("payload = 0", f"payload: 0 is refused: zero; allowed: {PAYLOAD}"),
    "no time between": (
        'interval = "0 s"',
        'interval: "0 s" is refused: zero; allowed: a number with its unit, such as '
        '"300 s" (units: ns, us, µs, ms, s, min, h), more than zero',
    ),
    "another kind's value": (
        'rate = "1 Mbit/s"',
        "rate: unknown field; allowed: from, to, opens, count, start, start_spread, "
        "start_pattern, start_jitter, jitter, stop, dscp, app, payload, interval, "
        "flood",
    ),
}

QUEUES = ", ".join(f'"{name}"' for name in CHOICES["WireQueue"])

# What is added to a wire, and what is said of it.
WRONG_QUEUES = {
    "an unknown kind": (
        'queue.kind = "droptail"',
        f'queue.kind: "droptail" is not one of the values; allowed: {QUEUES}; '
        "did you mean drop-tail?",
    ),
    "an unknown kind in short": (
        'queue = "droptail"',
        f'queue: "droptail" is not one of the values; allowed: {QUEUES}; did you mean drop-tail?',
    ),
    "thresholds the wrong way round": (
        'queue = { kind = "red", min_threshold = 20.0, max_threshold = 10.0 }',
        "queue.max_threshold: 10.0 is refused: not above min_threshold, 20.0; "
        "allowed: more than min_threshold",
    ),
    "a threshold above the other's default": (
        'queue = { kind = "red", min_threshold = 20.0 }',
        "queue.max_threshold: 15.0 is refused: not above min_threshold, 20.0; "
        "allowed: more than min_threshold",
    ),
    "a target above the interval": (
        'queue = { kind = "codel", target = "0.2 s" }',
        'queue.interval: "100 ms" is refused: not above target, "0.2 s"; allowed: more than target',
    ),
    "a queue at a node beyond": (
        'queue_at.laptop = { kind = "codel" }',
        'queue_at.laptop: there is no end of the wire "laptop"; allowed: server, office',
    ),
    "no end": (
        "queue.packets = 2000000",
        "queue.packets: 2000000 is out of range; allowed: 1 to 1000000 packets",
    ),
    "the field there was before": (
        "queue_packets = 50",
        "queue_packets: unknown field; allowed: between, rate, delay, mtu, queue, queue_at, "
        "emulator, impair; did you mean queue_at?",
    ),
    "a number": (
        "queue = 50",
        f"queue: 50 is no kind of queue and no table; allowed: {QUEUES}, or a table with its kind",
    ),
}

# What is added to an access point, and what is said of it.
WRONG_RATE_CONTROLS = {
    "an unknown kind in short": (
        'rate_control = "fallbck"',
        'rate_control: "fallbck" is not one of the values; allowed: "fixed", "fallback", '
        '"sticky-fallback", "arf", "aarf", "sample-rate", "minstrel", "minstrel-ht"; did you mean '
        "fallback?",
    ),
    "no attempt": (
        "rate_control.attempts_per_rate = 0",
        "rate_control.attempts_per_rate: 0 is out of range; allowed: 1 to 255 attempts",
    ),
    "a parameter of another kind": (
        'rate_control = { kind = "fixed", attempts_per_rate = 2 }',
        "rate_control.attempts_per_rate: unknown field; allowed: kind",
    ),
}


def compiled(folder: Path, text: str, **values: Any) -> dict[str, Any]:
    file = folder / "kinds.toml"
    file.write_text(text, encoding="utf-8")
    return an.compile_scenario(an.load(file, set=values))


def with_line(after: str, line: str) -> str:
    """Give the baseline with a line more."""
    return BASELINE.replace(after, f"{after}\n{line}", 1)


@pytest.mark.parametrize("case", WRONG_TRAFFIC)
def test_a_wrong_value_of_traffic_is_refused(case: str, tmp_path: Path) -> None:
    line, said = WRONG_TRAFFIC[case]
    message = refusal_of(tmp_path, BASELINE + PROBE + line)
    assert message == f"lab.toml: traffic.probe.{said}"


def test_what_traffic_has_to_be_told_is_asked_for(tmp_path: Path) -> None:
    text = BASELINE + PROBE.replace("ping", "application-limited").replace("laptop", "server", 1)
    said = (
        "missing, rate at which the application has bytes to write; allowed: a number with its "
        'unit, such as "11 Mbit/s" (units: bit/s, kbit/s, Mbit/s, Gbit/s), more than zero'
    )
    assert refusal_of(tmp_path, text.replace('to = "server"', 'to = "laptop"')) == (
        f"lab.toml: traffic.probe.rate: {said}"
    )


@pytest.mark.parametrize("case", WRONG_QUEUES)
def test_a_wrong_queue_is_refused(case: str, tmp_path: Path) -> None:
    line, said = WRONG_QUEUES[case]
    message = refusal_of(tmp_path, with_line('delay = "1 ms"', line))
    assert message == f"lab.toml: wire.uplink.{said}"


@pytest.mark.parametrize("case", WRONG_RATE_CONTROLS)
def test_a_wrong_rate_control_is_refused(case: str, tmp_path: Path) -> None:
    line, said = WRONG_RATE_CONTROLS[case]
    message = refusal_of(tmp_path, with_line('profile = "vendor-a"', line))
    assert message == f"lab.toml: ap.office.{said}"


def test_a_wire_has_a_queue_of_its_own_length_or_the_usual_one(tmp_path: Path) -> None:
    def queue(text: str) -> Any:
        return compiled(tmp_path, text)["wires"][0]["queue"]

    usual = {"kind": "drop-tail", "packets": 1000, "bytes": None}
    assert queue(BASELINE) == [usual] * 2
    assert queue(with_line('delay = "1 ms"', 'queue = "drop-tail"')) == [usual] * 2
    shorter = {"kind": "drop-tail", "packets": 50, "bytes": None}
    assert queue(with_line('delay = "1 ms"', "queue.packets = 50")) == [shorter] * 2


def rate_controls(folder: Path, text: str, **values: Any) -> Any:
    """Give the rate controls of the access point in all cells."""
    file = folder / "kinds.toml"
    file.write_text(text, encoding="utf-8")
    plans = [cell.plan for cell in cells_of(an.load(file, set=values))]
    radios = [plan["nodes"][1]["interfaces"][0]["radio"] for plan in plans]
    return [radio["mac"]["rate_control"] for radio in radios]


def fallback(attempts: int) -> dict[str, Any]:
    return {"kind": "fallback", "attempts_per_rate": attempts}


def test_what_a_rate_control_is_not_told_is_the_profile_s(tmp_path: Path) -> None:
    vendor_b = BASELINE.replace("vendor-a", "vendor-b")
    assert rate_controls(tmp_path, vendor_b) == [fallback(2)]
    short = {"ap.office.rate_control": "fallback"}
    assert rate_controls(tmp_path, vendor_b, **short) == [fallback(2)]
    single = {"ap.office.rate_control.attempts_per_rate": 3}
    assert rate_controls(tmp_path, vendor_b, **single) == [fallback(3)]


def test_of_another_kind_than_the_profile_s_it_has_its_own_defaults(tmp_path: Path) -> None:
    plain = BASELINE.replace("vendor-a", "plain")
    assert rate_controls(tmp_path, plain) == [{"kind": "fixed"}]
    assert rate_controls(tmp_path, plain, **{"ap.office.rate_control": "fallback"}) == [fallback(1)]


def test_a_rate_control_and_its_parameter_are_swept_by_their_paths(tmp_path: Path) -> None:
    kinds = '[[sweep]]\n"ap.office.rate_control" = ["fixed", "fallback"]\n'
    assert rate_controls(tmp_path, BASELINE + kinds) == [{"kind": "fixed"}, fallback(1)]
    attempts = '[[sweep]]\n"ap.office.rate_control.attempts_per_rate" = [1, 4]\n'
    assert rate_controls(tmp_path, BASELINE + attempts) == [fallback(1), fallback(4)]
    in_short = with_line('profile = "vendor-a"', 'rate_control = "fallback"')
    assert rate_controls(tmp_path, in_short + attempts) == [fallback(1), fallback(4)]


def test_explain_tells_kind_and_parameters_apart(tmp_path: Path) -> None:
    file = tmp_path / "kinds.toml"
    file.write_text(with_line('profile = "vendor-a"', 'rate_control = "fallback"'), "utf-8")
    lines = {line.path: line.columns()[1:] for line in explained(an.load(file))}
    assert lines["ap.office.rate_control"] == ("fallback", "file", "")
    value, origin, source = lines["ap.office.rate_control.attempts_per_rate"]
    assert (value, origin) == ("1 attempt", "profile vendor-a")
    assert source.startswith("goel2006")
    assert lines["sta.laptop.rate_control"][:2] == ("fixed", "profile plain")


# Two machines with a wire between them that carries 4 Mbit/s, and a source of half of that.
LIMITED = """
run.duration = "10 s"
run.warmup = "2 s"
host.server.stack = "linux-6"
host.client.stack = "linux-6"

[wire.path]
between = ["server", "client"]
rate = "4 Mbit/s"
delay = "10 ms"

[traffic.source]
app = "application-limited"
from = "server"
to = "client"
rate = "2 Mbit/s"
"""


def test_an_application_that_is_slower_than_the_path_sets_the_goodput(tmp_path: Path) -> None:
    metrics = _core.run(json.dumps(compiled(tmp_path, LIMITED)), 1).metrics()
    assert metrics["flow.source-1.goodput_mbps"] == pytest.approx(2, rel=0.01)
    assert metrics["flow.source-1.written_bytes"] == pytest.approx(2e6, rel=0.01)
    assert metrics["flow.source-1.blocked_writes"] == 0
    assert metrics["flow.source-1.rtt_ms_mean"] < 30, "no queue is filled"


def test_one_that_is_faster_is_held_back_by_its_send_buffer(tmp_path: Path) -> None:
    faster = {"traffic.source.rate": "8 Mbit/s", "host.server.stack": "freebsd-4.9"}
    plan = compiled(tmp_path, LIMITED, **faster)
    metrics = _core.run(json.dumps(plan), 1).metrics()
    assert 3.5 < metrics["flow.source-1.goodput_mbps"] < 4
    assert metrics["flow.source-1.blocked_writes"] > 100


def test_every_kind_has_a_class_in_python_whose_name_is_its_own() -> None:
    names = [model.__name__ for models in CHOICES.values() for model in models.values()]
    assert len(set(names)) == len(names)
    assert set(names) < set(an.__all__)
    assert all(getattr(an, name).__name__ == name for name in names)


def test_a_name_that_nothing_has_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Bluk'"):
        _ = an.Bluk  # type: ignore[attr-defined]


def test_editors_are_told_both_forms_of_a_kind() -> None:
    described = an.schema()["$defs"]["Wire"]["properties"]["queue"]
    short, table = described["anyOf"]
    assert short == {"enum": list(CHOICES["WireQueue"])}
    assert "DropTail" in json.dumps(table)
