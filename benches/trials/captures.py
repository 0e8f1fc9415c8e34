"""Captures tampered with: each is told of as far as it is readable, or refused with a message."""

import random
import struct
from pathlib import Path

from trials.mutations import mutated_bytes
from trials.outcomes import ended, scratch

SEEDS = Path(__file__).parents[2] / "crates" / "analysis" / "fuzz" / "seeds"
_FORMS = ((), ("--json",), ("--csv",), ("--tstat",))
_TIMES = (0, 1, 2**31, 2**63 - 1, 2**63, 2**64 - 1)
"""Timestamps that none of today's captures has, and that a format can write."""
_WITH_REPORT, _PAIRED = 40, 10
"""One in so many is told of in a folder, with figures, and one beside another capture."""
_PACKET_BLOCK = 6


def trial(count: int, seed: int) -> list[str]:
    """Tamper with so many captures; give what went wrong."""
    rng = random.Random(seed)
    wrong: list[str] = []
    whole = {path: path.read_bytes() for path in sorted(SEEDS.iterdir())}
    with scratch() as folder:
        for number in range(count):
            path = rng.choice(list(whole))
            data = whole[path]
            if path.suffix == ".pcapng" and rng.random() < 0.5:
                data = _at_other_times(data, rng)
            else:
                data = mutated_bytes(data, rng)
            file = folder / path.name
            file.write_bytes(data)
            words: tuple[str | Path, ...] = rng.choice(_FORMS)
            if number % _WITH_REPORT == 0:
                words = ("--out", folder / f"{number}")
            elif number % _PAIRED == 0:
                words = (rng.choice(list(whole)), *rng.choice(_FORMS[:3]))
            if complaint := ended("analyse", file, *words).complaint():
                kept = folder.parent / f"anechoic-trial-capture-{seed}-{number}{path.suffix}"
                kept.write_bytes(data)
                wrong.append(f"analyse {kept} {' '.join(map(str, words))}: {complaint}")
    return wrong


def _at_other_times(data: bytes, rng: random.Random) -> bytes:
    """Give a pcapng file whose packets, from one of them on, have other timestamps."""
    changed, at, shift = bytearray(data), 0, rng.choice(_TIMES)
    first, number = rng.randrange(20), 0
    while at + 20 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == _PACKET_BLOCK:
            number += 1
            if number >= first:
                high, low = struct.unpack_from("<II", data, at + 12)
                time = ((high << 32 | low) * rng.choice((0, 1)) + shift) % 2**64
                struct.pack_into("<II", changed, at + 12, time >> 32, time & 0xFFFFFFFF)
        if length < 12:
            break
        at += length
    return bytes(changed)
