"""Whatever machines send each other, closed forms answer or say why they do not."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from scenarios import cell

import anechoic as an
from anechoic.calc.plan import solve
from anechoic.scenario.compile import compile_scenario

STACKS = st.sampled_from(["windows-xp", "linux-2.4", "linux-6", "rfc"])
RATES = st.sampled_from(["8 bit/s", "64 kbit/s", "1 Mbit/s", "6 Mbit/s", "90 Mbit/s"])
PAYLOADS = st.sampled_from([1, 36, 700, 1472])
KINDS = st.one_of(
    st.fixed_dictionaries({"app": st.just("bulk")}, optional={"stack": STACKS}),
    st.fixed_dictionaries({"app": st.just("application-limited"), "rate": RATES}),
    st.fixed_dictionaries({"app": st.just("udp"), "payload": PAYLOADS}, optional={"rate": RATES}),
    st.fixed_dictionaries({"app": st.just("poisson"), "payload": PAYLOADS, "rate": RATES}),
    st.fixed_dictionaries(
        {
            "app": st.just("ping"),
            "payload": PAYLOADS,
            "interval": st.sampled_from(["1 us", "3 ms", "1 s"]),
        }
    ),
)
NODES = ("server", "laptop", "other")
ENDS = st.sampled_from([(one, other) for one in NODES for other in NODES if one != other])
RADIO = st.fixed_dictionaries(
    {},
    optional={
        "rate": st.sampled_from(["11 Mbit/s", "1 Mbit/s"]),
        "rts_threshold": st.sampled_from([0, 400, 2347]),
        "fragmentation_threshold": st.sampled_from([256, 1000, 2346]),
        "short_retry_limit": st.sampled_from([1, 7, 255]),
        "cw_min": st.sampled_from([0, 1, 31, 100]),
        "queue_packets": st.sampled_from([1, 100]),
        "count": st.sampled_from([1, 3]),
    },
)
WIRE = st.fixed_dictionaries(
    {
        "rate": st.sampled_from(["2 Mbit/s", "100 Mbit/s"]),
        "delay": st.sampled_from(["0 s", "50 ms"]),
    }
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(KINDS, ENDS, st.sampled_from([1, 2, 40])), min_size=1, max_size=2),
    RADIO,
    WIRE,
    st.sampled_from([0.0, 0.01, 0.99, 1.0]),
)
def test_every_flow_has_an_answer_or_a_reason(
    flows: list[tuple[dict[str, Any], tuple[str, str], int]],
    radio: dict[str, Any],
    wire: dict[str, Any],
    lost: float,
) -> None:
    stage = {"kind": "drop", "towards": "office", "probability": lost}
    scenario = cell(
        {
            f"t{n}": {**kind, "from": ends[0], "to": ends[1], "count": count}
            for n, (kind, ends, count) in enumerate(flows)
        },
        ap={"office": {}},
        sta={
            "laptop": {"ap": "office", "stack": "windows-xp", **radio},
            "other": {"ap": "office", "stack": "linux-2.4"},
        },
        wire={"lan": {"between": ["server", "office"], **wire, "impair": {"lose": stage}}},
    )
    try:
        plan = compile_scenario(scenario)
    except an.ScenarioError:
        return
    answer = solve(plan)
    assert [each.flow for each in answer.flows] == [flow["name"] for flow in plan["flows"]]
    for each in answer.flows:
        assert each.is_answered or each.remarks
        assert each.goodput_mbps is None or each.goodput_mbps >= 0
        if each.rtt_ms is not None and each.idle_rtt_ms is not None:
            assert each.rtt_ms >= each.idle_rtt_ms > 0
        assert each.airtime_share is None or 0 <= each.airtime_share < 1.001
    json.dumps(answer.metrics(), allow_nan=False)
