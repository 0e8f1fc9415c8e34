"""What a page carries of a figure: unpacked, its values are those that were drawn."""

import base64
import json
import zlib
from math import isnan, nan, pi

import numpy
import pytest

from anechoic.report.packing import EXACT, Pool


def unpacked(text: str) -> tuple[list[float], object]:
    """Give the values and what is said of them, as the head of `packing.py` describes it."""
    whole = zlib.decompress(base64.b64decode(text))
    count = int.from_bytes(whole[:4], "little")
    planes = numpy.frombuffer(whole[4 : 4 + 4 * count], "u1").reshape(4, count)
    values = numpy.ascontiguousarray(planes.T).view("<f4")[:, 0].tolist()
    return values, json.loads(whole[4 + 4 * count :])


def test_values_keep_the_four_digits_that_are_told_of_them() -> None:
    given = [0.0, 12.34, -9.999, 1.001e-9, 98_760_000.0]
    pool = Pool()
    place = pool.add(given)
    values, said = unpacked(pool.packed(place))
    assert said == {"from": 0, "count": 5}
    assert [f"{value:.4g}" for value in values] == [f"{value:.4g}" for value in given]
    assert values == pytest.approx(given, rel=2**-15)


def test_exact_values_have_the_seven_digits_of_a_float() -> None:
    pool = Pool()
    pool.add([pi, 65_535.0, 599.5], EXACT)
    values, _ = unpacked(pool.packed(None))
    assert values == pytest.approx([pi, 65_535, 599.5], rel=2**-24)


def test_no_value_stays_none_and_a_second_list_follows_the_first() -> None:
    pool = Pool()
    pool.add([nan, 1.0])
    assert pool.add([2.0, nan, 3.0]) == {"from": 2, "count": 3}
    values, _ = unpacked(pool.packed({}))
    assert [None if isnan(value) else value for value in values] == [None, 1, 2, None, 3]


def test_a_figure_without_values_is_packed_too() -> None:
    assert unpacked(Pool().packed({"title": "<empty>"})) == ([], {"title": "<empty>"})


def test_even_noise_weighs_less_than_three_bytes_a_value() -> None:
    pool = Pool()
    pool.add(numpy.random.default_rng(1).exponential(size=100_000).tolist())
    assert len(pool.packed({})) < 300_000
