"""Predictions: what the survey, corrected closed forms and all, says of a point nobody has run."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, isnan, log
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy

from anechoic.predicting.factors import FACTORS, Choice, Point
from anechoic.predicting.form import goodput_mbps, round_trip_ms
from anechoic.predicting.kriging import Covariance, Fitted, fit
from anechoic.tables.parquet import read_parquet
from anechoic.tables.table import Floats, Table

QUANTITIES = {"goodput_mbps": goodput_mbps, "rtt_ms": round_trip_ms}
"""What is predicted, and the closed form that it is a correction of."""
TABLE = Path(__file__).with_name("survey.parquet")
HELD_OUT = 0.1
"""The part of the scenarios that predictions are tried on and never made of."""
LEAST = 0.02
"""Added to what is measured, so that a starved cell has a logarithm: 20 kbit/s, or 20 µs."""


@dataclass(frozen=True)
class Prediction:
    """A value, and the 95 % interval around it."""

    value: float
    low: float
    high: float


def predict(points: Sequence[Point], quantity: str) -> list[Prediction]:
    """Predict a quantity at each point."""
    fitted, form = _models()[quantity], QUANTITIES[quantity]
    logs, spreads = fitted.at(features(points))
    found = []
    for point, correction, spread in zip(points, logs, spreads, strict=True):
        middle = correction + log(form(point) + LEAST)
        low, value, high = (exp(middle + side * spread) - LEAST for side in (-1, 0, 1))
        found.append(Prediction(max(value, 0.0), max(low, 0.0), high))
    return found


def held_out() -> dict[str, list[float]]:
    """Give by how much each scenario that was held out is missed, over what was measured."""
    return {
        quantity: [
            abs(each.value - measured) / max(measured, LEAST)
            for each, measured in _beside_measured(quantity)
        ]
        for quantity in QUANTITIES
    }


def held_inside() -> dict[str, float]:
    """Give the part of the scenarios that were held out which lie within their intervals."""
    return {
        quantity: fmean(
            each.low <= measured <= each.high for each, measured in _beside_measured(quantity)
        )
        for quantity in QUANTITIES
    }


def _beside_measured(quantity: str) -> list[tuple[Prediction, float]]:
    known = [row for row in _rows() if row["held_out"] and _is_known(row, quantity)]
    return [
        (each, row[quantity]) for each, row in zip(predict(known, quantity), known, strict=True)
    ]


def features(points: Sequence[Point]) -> Floats:
    """Give each point as numbers: parts of the scales, and a number for each word but the first."""
    columns = []
    for name, factor in FACTORS.items():
        values = [point[name] for point in points]
        if isinstance(factor.kind, Choice):
            columns += [
                [float(value == word) for value in values] for word in factor.kind.values[1:]
            ]
        else:
            columns.append([factor.kind.part(float(value)) for value in values])
    return numpy.array(columns).T


def fitted_table(table: Table) -> Table:
    """Fit what a survey has measured; give its table with what predictions are made of."""
    rows, fitted = _dicts(table), dict(table.columns)
    held = [place >= len(rows) * (1 - HELD_OUT) for place in range(len(rows))]
    about = {}
    for quantity, form in QUANTITIES.items():
        known = [
            place for place, row in enumerate(rows) if not held[place] and _is_known(row, quantity)
        ]
        own = [rows[place] for place in known]
        values = [log(row[quantity] + LEAST) - log(form(row) + LEAST) for row in own]
        model = fit(features(own), numpy.array(values))
        about[quantity] = {
            "lengths": model.covariance.lengths.tolist(),
            "noise": model.covariance.noise,
            "mean": model.mean,
        }
        for name, column in (("weight", model.weights), ("miss", model.misses)):
            spread = numpy.full(len(rows), numpy.nan)
            spread[known] = column
            fitted[f"{quantity}_{name}"] = spread
    fitted["held_out"] = numpy.array(held)
    return Table(fitted, about={"model": json.dumps(about)})


def _is_known(row: Mapping[str, Any], quantity: str) -> bool:
    return not isnan(row[quantity])


@cache
def _table() -> Table:
    return read_parquet(TABLE.read_bytes())


@cache
def _rows() -> list[dict[str, Any]]:
    return _dicts(_table())


def _dicts(table: Table) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows()]


@cache
def _models() -> dict[str, Fitted]:
    about = json.loads(_table().about["model"])
    models = {}
    for quantity, model in about.items():
        known = [row for row in _rows() if not isnan(row[f"{quantity}_weight"])]
        models[quantity] = Fitted(
            Covariance(numpy.array(model["lengths"]), model["noise"]),
            features(known),
            numpy.array([row[f"{quantity}_weight"] for row in known]),
            numpy.array([row[f"{quantity}_miss"] for row in known]),
            model["mean"],
        )
    return models
