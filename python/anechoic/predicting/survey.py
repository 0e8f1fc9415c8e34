"""The survey that predictions come from: scenarios spread over all factors, and what they gave."""

import json
from collections.abc import Mapping
from math import isnan, nan
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy
from scipy.stats import qmc

from anechoic.campaign.replication import Summary
from anechoic.predicting.bench import BENCH, columns_of
from anechoic.predicting.factors import FACTORS, Choice, Factor, Scale, Value
from anechoic.running import run
from anechoic.tables.table import Column, Table, Texts

SEED = 20060501


def design(scenarios: int) -> list[dict[str, Value]]:
    """Spread scenarios over all factors by Sobol's sequence, scrambled."""
    sequence = qmc.Sobol(len(FACTORS), seed=SEED).random(scenarios)
    return [
        {
            name: _value(factor, part)
            for (name, factor), part in zip(FACTORS.items(), row, strict=True)
        }
        for row in sequence
    ]


def _value(factor: Factor, part: float) -> Value:
    match factor.kind:
        case Choice(values):
            return values[int(part * len(values))]
        case Scale() as scale:
            return scale.at(part)


def survey(scenarios: int, out: Path) -> Table:
    """Run it; give a row for each scenario, with its factors and what was measured."""
    points = design(scenarios)
    labels = {"labels": [str(number) for number in range(scenarios)]}
    axis = "\n".join(
        f"{json.dumps(path)} = {json.dumps(values)}"
        for path, values in (labels | columns_of(points)).items()
    )
    file = out / "survey.toml"
    file.write_text(f"{BENCH}\n[[sweep]]\n{axis}\n", encoding="utf-8")
    results = run(file, out=out / "results")
    measured = [cell.metrics for cell in results.cells]
    columns: dict[str, Column] = {}
    for name, factor in FACTORS.items():
        values: Any = [point[name] for point in points]
        is_choice = isinstance(factor.kind, Choice)
        columns[name] = Texts.of(values) if is_choice else numpy.array(values)
    columns["goodput_mbps"] = numpy.array([metrics["goodput_mbps"].mean for metrics in measured])
    columns["rtt_ms"] = numpy.array([_over_flows(metrics, "rtt_ms_p50") for metrics in measured])
    return Table(columns)


def _over_flows(metrics: Mapping[str, Summary], name: str) -> float:
    """Give the mean of what flows have of a metric; not a number if none has it."""
    values = [
        summary.mean
        for each, summary in metrics.items()
        if each.startswith("flow.") and each.endswith(f".{name}") and not isnan(summary.mean)
    ]
    return fmean(values) if values else nan
