"""Each kind of check on made-up cells that pass it, and on others that do not."""

import pytest
from cells import decided, experiment

from anechoic.campaign.cells import Value
from anechoic.papers.points import MissingPoint
from anechoic.papers.scope import NotRun, WrongClaim
from anechoic.papers.verdict import Status

AGREES, DISAGREES, UNRESOLVED = Status.AGREES, Status.UNEXPLAINED, Status.UNRESOLVED
NOT_TESTABLE = Status.NOT_TESTABLE

LOSSES: list[Value] = [0.0, 0.02, 0.04, 0.08]
FALLING = experiment(
    {"loss": LOSSES},
    goodput_mbps=lambda loss: 5 - 20 * loss,
    share=lambda loss: loss + 0.001,
    level=lambda _loss: 7.0,
    failed=lambda loss: [1.0] * round(100 * loss) + [0.0] * (12 - round(100 * loss)),
)

CASES = [
    ({"falls": "goodput_mbps", "along": "loss"}, AGREES),
    ({"falls": "goodput_mbps", "along": "loss", "strictly": True}, AGREES),
    ({"falls": "level", "along": "loss"}, DISAGREES),
    ({"rises": "goodput_mbps", "along": "loss"}, DISAGREES),
    ({"rises": "share", "along": "loss"}, AGREES),
    ({"never-rises": "level", "along": "loss"}, AGREES),
    ({"never-falls": "goodput_mbps", "along": "loss"}, DISAGREES),
    ({"never-falls": "goodput_mbps", "along": "loss", "tolerance": 0.5}, AGREES),
    ({"less": "goodput_mbps", "than": "level", "each": "loss"}, AGREES),
    ({"more": "goodput_mbps", "than": "level", "each": "loss"}, DISAGREES),
    ({"more": "level", "than": 6.5, "each": "loss"}, AGREES),
    ({"at-least": "share", "than": "loss", "each": "loss"}, AGREES),
    ({"at-most": "share", "than": "loss", "each": "loss"}, DISAGREES),
    ({"at-most": "level", "than": 6.9, "tolerance": 0.02, "each": "loss"}, AGREES),
    ({"equal": "level", "along": "loss", "within": 0.01}, AGREES),
    ({"equal": "goodput_mbps", "along": "loss", "within": 0.01}, DISAGREES),
    ({"equal": "level", "with": 7.1, "within": 0.02, "each": "loss"}, AGREES),
    ({"band": "level", "from": 6.5, "to": 7.5, "each": "loss"}, AGREES),
    ({"band": "level", "to": 6.5, "each": "loss"}, DISAGREES),
    (
        {
            "band": "ratio(goodput_mbps, loss = 0)",
            "from": 0.9,
            "where": {"loss": "<= 0.02"},
            "each": "loss",
        },
        AGREES,
    ),
    ({"band": "loss(goodput_mbps, loss = 0)", "from": 0.3, "where": {"loss": 0.08}}, AGREES),
    ({"step": "goodput_mbps", "along": "loss", "between": [0.04, 0.08], "by": -0.1}, AGREES),
    ({"step": "goodput_mbps", "along": "loss", "between": [0.0, 0.02], "by": 0.1}, DISAGREES),
    ({"highest": "goodput_mbps", "along": "loss", "at": 0}, AGREES),
    ({"highest": "goodput_mbps", "along": "loss", "at": "> 0"}, DISAGREES),
    ({"lowest": "goodput_mbps", "along": "loss", "at": [0.04, 0.08]}, AGREES),
    ({"probability": "failed > 0", "from": 0.3, "where": {"loss": 0.08}}, AGREES),
    ({"probability": "failed > 0", "from": 0.5, "where": {"loss": 0.08}}, UNRESOLVED),
    ({"probability": "failed > 0", "to": 0.02, "where": {"loss": 0}}, AGREES),
    ({"probability": "failed > 0", "from": 0.9, "where": {"loss": 0.02}}, DISAGREES),
    ({"fit": "goodput_mbps", "along": "loss", "slope": [-21, -19], "r2": [0.99, 1]}, AGREES),
    ({"fit": "goodput_mbps", "along": "loss", "intercept": [0, 1]}, DISAGREES),
    (
        {"fit": "share - 0.001", "along": "loss", "through-origin": True, "slope": [0.9, 1.1]},
        AGREES,
    ),
    (
        {"fit": "goodput_mbps", "along": "loss", "against": "100 * loss", "slope": [-0.3, -0.1]},
        AGREES,
    ),
    ({"rank": "goodput_mbps", "with": "share", "along": "loss", "to": -0.9}, AGREES),
    ({"shows": ["goodput_mbps"], "each": "loss"}, AGREES),
]


@pytest.mark.parametrize(("check", "status"), CASES, ids=lambda value: str(value)[:60])
def test_a_check_is_decided(check: dict[str, object], status: Status) -> None:
    assert decided(check, here=FALLING).status is status


def test_a_trend_may_step_with_an_expression_of_its_axis() -> None:
    """1508 bytes in pieces of the threshold less 28: two at 1024 and 1280, one at 1536."""
    pieces: dict[Value, float] = {1024: 4.0, 1280: 4.0, 1536: 5.0}
    check = {
        "rises": "goodput_mbps",
        "along": "threshold",
        "steps-with": "ceil(1508 / (threshold - 28))",
        "level-within": 0.02,
    }
    stepping = experiment({"threshold": list(pieces)}, goodput_mbps=lambda t: pieces[t])
    assert decided(check, here=stepping).status is AGREES
    steady = experiment({"threshold": list(pieces)}, goodput_mbps=lambda t: t / 256)
    assert decided(check, here=steady).status is DISAGREES
    level = experiment({"threshold": list(pieces)}, goodput_mbps=lambda t: 4 + t / 1e6)
    assert decided(check, here=level).status is AGREES


def test_values_are_paired_by_replication() -> None:
    """Both scatter widely, and together: only their ratio is sharp."""
    values = [1.0 + 0.1 * r for r in range(12)]
    cells = experiment({}, sent=lambda: values, lost=lambda: [0.1 * each for each in values])
    [figure] = decided({"band": "lost / sent", "from": 0.1, "to": 0.1}, here=cells).figures
    assert figure.ci95 == pytest.approx(0, abs=1e-12)
    assert figure.n == 12


def test_pairs_of_cells_end_with_the_shorter_one() -> None:
    runs = {0: [4.0] * 12, 1: [2.0] * 15}
    cells = experiment({"loss": [0, 1]}, goodput_mbps=lambda loss: runs[loss])
    check = {"band": "ratio(goodput_mbps, loss = 0)", "from": 0.5, "to": 0.5, "where": {"loss": 1}}
    assert decided(check, here=cells).figures[0].n == 12


def test_a_mean_may_be_taken_over_an_axis() -> None:
    cells = experiment(
        {"limit": [1, 2], "queue": [25, 50]}, goodput_mbps=lambda limit, queue: limit + queue
    )
    check = {"band": "goodput_mbps", "over": "queue", "each": "limit", "from": 38, "to": 40}
    verdict = decided(check, here=cells)
    assert [round(figure.value, 1) for figure in verdict.figures] == [38.5, 39.5]
    assert verdict.figures[0].what == "here goodput_mbps (limit=1, mean over queue)"


def test_words_go_in_the_order_of_the_sweep_or_of_where() -> None:
    quality = {"good": 5.0, "moderate": 3.0, "poor": 4.0}
    cells = experiment({"channel": list(quality)}, goodput_mbps=lambda name: quality[name])
    falls: dict[str, object] = {"falls": "goodput_mbps", "along": "channel"}
    assert decided(falls, here=cells).status is DISAGREES
    ordered = {**falls, "where": {"channel": ["good", "poor", "moderate"]}}
    assert decided(ordered, here=cells).status is AGREES


def test_numbers_go_upwards_whatever_the_order_of_the_sweep() -> None:
    cells = experiment({"rts": [2346, 0]}, goodput_mbps=lambda rts: 4 + rts / 2346)
    assert decided({"rises": "goodput_mbps", "along": "rts"}, here=cells).status is AGREES


def test_values_of_one_unit_are_numbers() -> None:
    cells = experiment(
        {"delay": ["5 ms", "10 ms", "20 ms"]},
        rtt_ms=lambda delay: 2 * float(delay.removesuffix(" ms")),
    )
    assert (
        decided(
            {"equal": "rtt_ms", "with": "2 * delay", "within": 0.01, "each": "delay"}, here=cells
        ).status
        is AGREES
    )
    assert decided({"rises": "rtt_ms", "along": "delay"}, here=cells).status is AGREES


def test_another_experiment_is_compared_at_the_same_place() -> None:
    axes: dict[str, list[Value]] = {"threshold": [256, 1536], "connections": [2, 32]}
    off = experiment(axes, goodput_mbps=lambda t, n: t / 400 + 1 / n)
    on = experiment(axes, goodput_mbps=lambda t, n: 0.9 * (t / 400 + 1 / n))
    check = {"less": "goodput_mbps", "than": {"of": "off"}, "each": "*"}
    verdict = decided(check, on=on, off=off)
    assert verdict.status is AGREES
    assert len(verdict.figures) == 8
    ratio = {"band": 'ratio(goodput_mbps, of = "off")', "each": "*", "from": 0.89, "to": 0.91}
    assert decided(ratio, on=on, off=off).status is AGREES


def test_readings_that_disagree_are_not_testable_and_named() -> None:
    cells = experiment({"vendor": ["a", "b"]}, goodput_mbps=lambda v: 5 if v == "a" else 3)
    by_axis = decided({"band": "goodput_mbps", "from": 4, "reading": "vendor"}, here=cells)
    assert by_axis.status is NOT_TESTABLE
    assert by_axis.reason.startswith("agrees with vendor=a: ")
    named = {
        "where": {"vendor": "b"},
        "readings": {
            "at the least": {"band": "goodput_mbps", "from": 4},
            "at the most": {"band": "goodput_mbps", "to": 4},
        },
    }
    assert decided(named, here=cells).reason.startswith("agrees with at the most: ")


def test_a_reading_without_a_value_does_not_silence_the_others() -> None:
    cells = experiment(
        {"vendor": ["a", "b", "c"]}, goodput_mbps=lambda v: {"a": 5, "b": 3}.get(v, [])
    )
    check = {"band": "goodput_mbps", "from": 4, "reading": "vendor"}
    verdict = decided(check, here=cells)
    assert verdict.status is NOT_TESTABLE
    assert "; not-run with vendor=c: no replication gives a value" in verdict.reason
    assert decided({**check, "where": {"vendor": ["b", "c"]}}, here=cells).status is DISAGREES


def test_what_is_assumed_decides_nothing_and_is_told_where_it_would_decide_otherwise() -> None:
    usual, low, high = (
        experiment({"n": [2, 8]}, share=lambda n, share=share: share / n) for share in (5, 1, 4.1)
    )
    check = {"band": "share", "from": 0.5, "where": {"n": 8}, "assumed": ["low", "high"]}
    verdict = decided(check, usual=usual, low=low, high=high)
    assert verdict.status is Status.AGREES_IF
    assert "disagrees-unexplained in low: " in verdict.reason
    same = decided(check, usual=usual, low=high, high=high)
    assert (same.status, same.notes) == (AGREES, ())
    with pytest.raises(NotRun):
        decided(check, usual=usual, low=low)


def test_of_an_assumed_axis_the_first_value_decides_and_the_others_are_told() -> None:
    cells = experiment({"rate": [1, 4], "n": [2, 8]}, share=lambda rate, n: rate * n)
    check = {"band": "share", "to": 9, "each": "n", "assumed": "rate"}
    verdict = decided(check, here=cells)
    assert verdict.status is Status.AGREES_IF
    assert "disagrees-unexplained with rate=4: " in verdict.reason


def test_parts_must_all_hold_and_share_what_stands_around_them() -> None:
    cells = experiment({"vendor": ["a", "b"], "n": [2, 8]}, goodput_mbps=lambda _v, n: 6 - n / 8)
    check = {
        "each": "vendor",
        "all-of": [
            {"falls": "goodput_mbps", "along": "n"},
            {"tells": {"goodput": "goodput_mbps"}, "along": "n"},
            {"band": "goodput_mbps", "where": {"n": 8}, "from": 5.5},
        ],
    }
    verdict = decided(check, here=cells)
    assert verdict.status is DISAGREES
    assert "vendor=a, n from 2 to 8: goodput 5.75 to 5" in verdict.notes


def test_what_is_told_beside_a_check_may_not_have_been_measured() -> None:
    cells = experiment({"n": [2, 8]}, goodput_mbps=lambda n: 6 - n / 8)
    falls = {"falls": "goodput_mbps", "along": "n"}
    drops = {"tells": {"drops": "mac.drops_queue"}, "along": "n"}
    verdict = decided({"all-of": [falls, drops]}, here=cells)
    assert verdict.status is AGREES
    assert verdict.notes == ("n from 2 to 8: drops unknown",)


def test_what_may_be_missing_is_left_out_and_noted() -> None:
    cells = experiment({}, goodput_mbps=lambda: 4.0)
    check = {"at-most": "goodput_mbps", "of": ["bad", "worse"], "than": {"of": "base"}}
    optional = frozenset({"bad", "worse"})
    verdict = decided(check, base=cells, bad=cells, optional=optional)
    assert verdict.status is AGREES
    assert verdict.found.endswith("not run: worse")
    with pytest.raises(NotRun, match="needs bad, worse too"):
        decided(check, base=cells, optional=optional)
    with pytest.raises(NotRun, match="needs worse too"):
        decided(check, base=cells, bad=cells)


def test_a_window_of_the_run_has_metrics_of_its_own() -> None:
    laws = {"rtt_ms@before": lambda: 2.0, "rtt_ms@during": lambda: 120.0, "rtt_ms": lambda: 80.0}
    cells = experiment({}, **laws)
    assert decided({"band": "rtt_ms", "window": "during", "from": 100}, here=cells).status is AGREES
    compared = {"band": "rtt_ms@during / rtt_ms@before", "from": 50}
    assert decided(compared, here=cells).status is AGREES


def test_terms_are_expressions_with_a_name() -> None:
    terms = {"bits": "8 * 1460", "segments": "goodput_mbps * 1e6 / bits"}
    verdict = decided({"band": "segments", "from": 400, "where": {"loss": 0}}, terms, here=FALLING)
    assert verdict.status is AGREES
    assert verdict.figures[0].what == "here segments (loss=0.0)"


@pytest.mark.parametrize(
    ("check", "path", "said"),
    [
        ({"falls": "goodput_mbps", "along": "los"}, "along", 'no axis of here "los"'),
        ({"band": "level", "to": 9, "where": {"loss": 0.05}}, "where", 'no value of loss "0.05"'),
        ({"band": "level", "to": 9, "where": {"loss": "> 1"}}, "where", "no value of loss is > 1"),
        ({"band": "level", "to": 9}, "band", "loss is swept and stays open"),
        ({"band": "at(level, loss = 3)", "to": 9, "each": "loss"}, "band", "no value of loss"),
        ({"band": "level", "to": 9, "each": ["loss", "loss"]}, "each", "fixed at 0.0 already"),
        (
            {"less": "level", "than": {"where": {"lost": 0}}, "each": "loss"},
            "than.where",
            "no axis",
        ),
    ],
)
def test_a_check_of_what_is_not_there_is_refused(
    check: dict[str, object], path: str, said: str
) -> None:
    with pytest.raises(WrongClaim) as refused:
        decided(check, here=FALLING)
    assert refused.value.problem.path == path
    assert said in refused.value.problem.what


def test_a_window_that_has_no_time_in_a_run_decides_nothing() -> None:
    nan = float("nan")
    cells = experiment({}, **{"goodput_mbps@after": lambda: [nan, 5.0, 5.0], "x": lambda: 1.0})
    with pytest.raises(MissingPoint, match="the window after has no time in replication 0: "):
        decided({"band": "goodput_mbps", "window": "after", "from": 1}, lab=cells)
    with pytest.raises(MissingPoint, match="the window never has no time"):
        decided({"band": "goodput_mbps@never", "from": 1}, lab=cells)


def test_a_part_that_fails_decides_though_another_cannot_be_decided() -> None:
    nan = float("nan")
    cells = experiment({}, **{"goodput_mbps@after": lambda: [nan, nan], "x": lambda: 1.0})
    missing = {"band": "goodput_mbps@after", "from": 1}
    assert decided({"all-of": [{"band": "x", "from": 2}, missing]}, lab=cells).status is DISAGREES
    verdict = decided({"all-of": [{"band": "x", "to": 2}, missing]}, lab=cells)
    assert verdict.status is Status.NOT_RUN
    assert "the window after has no time" in verdict.reason
