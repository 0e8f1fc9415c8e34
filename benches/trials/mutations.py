"""Files tampered with as people, disks and attackers do it: bytes, lines and values."""

import random
import re
from collections.abc import Sequence

_VALUES = (
    b"0",
    b"-1",
    b"1",
    b"inf",
    b"-inf",
    b"nan",
    b"1e308",
    b"9223372036854775808",
    b"1" * 40,
    b"true",
    b'""',
    b"[]",
    b"{}",
    b'"1 ns"',
    b'"1e14 ms"',
    b'"1e300 Mbit/s"',
    b'"-5 dB"',
    b'"NaN s"',
    b'"\xc3\xa9\\u0007"',
    b"1979-05-27T07:32:00Z",
    b'[[1, "x"], {a = 2}]',
    b'"/dev/zero"',
    b"[" * 600 + b"]" * 600,
)
_VALUE = re.compile(rb"(?<=[=,\[])\s*(\"[^\"\n]*\"|[-+\w.]+)")
_NUMBER = re.compile(rb"\d+(\.\d+)?")
_WORD = re.compile(rb"[A-Za-z_][\w-]*")


def mutated_text(text: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    """Give a text with one to four things changed, most of them values and words."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        change = rng.choices(_CHANGES, _WEIGHTS)[0]
        text = change(text, others, rng)
    return text


def mutated_bytes(data: bytes, rng: random.Random) -> bytes:
    """Give binary data with some bytes changed, cut, doubled or put in."""
    for _ in range(rng.randint(1, 4)):
        at, many = rng.randrange(len(data) + 1), rng.choice((1, 1, 2, 4, 8, 40))
        kind = rng.randrange(5)
        if kind == 0:
            data = data[:at]
        elif kind == 1:
            data = data[:at] + data[at + many :]
        elif kind == 2:
            data = data[:at] + rng.randbytes(many) + data[at:]
        else:
            high = b"\x80" + bytes(many - 1)
            fill = rng.choice((b"\xff" * many, bytes(many), rng.randbytes(many), high))
            data = data[:at] + fill + data[at + many :]
    return data


def _value(text: bytes, _others: Sequence[bytes], rng: random.Random) -> bytes:
    places = list(_VALUE.finditer(text))
    if not places:
        return text
    place = rng.choice(places)
    value = _scaled(place[1], rng) if rng.random() < 0.5 else rng.choice(_VALUES)
    return text[: place.start(1)] + value + text[place.end(1) :]


def _scaled(value: bytes, rng: random.Random) -> bytes:
    """Give a value with its number much larger or smaller, and its unit as it was."""
    factor = rng.choice((0, -1, 1e-9, 1e-3, 0.1, 3, 10, 1e3, 1e6, 1e9, 1e12, 1e18))
    return _NUMBER.sub(lambda found: f"{float(found[0]) * factor:g}".encode(), value, count=1)


def _word(text: bytes, _others: Sequence[bytes], rng: random.Random) -> bytes:
    places = list(_WORD.finditer(text))
    if len(places) < 2:
        return text
    place, other = rng.choice(places), rng.choice(places)
    return text[: place.start()] + other[0] + text[place.end() :]


def _line(text: bytes, _others: Sequence[bytes], rng: random.Random) -> bytes:
    lines = text.split(b"\n")
    at, kind = rng.randrange(len(lines)), rng.randrange(3)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[at])
    else:
        other = rng.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    return b"\n".join(lines)


def _line_of_another(text: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    lines = text.split(b"\n")
    lines.insert(rng.randrange(len(lines)), rng.choice(rng.choice(others).split(b"\n")))
    return b"\n".join(lines)


def _bytes(text: bytes, _others: Sequence[bytes], rng: random.Random) -> bytes:
    return mutated_bytes(text, rng)


_CHANGES = (_value, _word, _line, _line_of_another, _bytes)
_WEIGHTS = (12, 2, 2, 2, 1)
"""What only breaks the notation is refused by its reader, and tries little else."""
