"""Single bits of a store flipped, as a disk or a memory does it: noticed, whichever it is."""

import random

from trials.damages import begun, wrongs
from trials.outcomes import files_of, scratch

_ALSO_RUN = 20
"""One in so many is gone on with by the command too, which takes the longest."""


def trial(count: int, seed: int) -> list[str]:
    """Flip so many bits, one at a time; give what went wrong."""
    rng = random.Random(seed)
    wrong: list[str] = []
    with scratch() as folder:
        store = begun(folder)
        right = files_of(store)
        # By their sizes: every bit is as likely as every other.
        names = rng.choices(list(right), [len(data) for data in right.values()], k=count)
        for number, name in enumerate(names):
            data = bytearray(right[name])
            bit = rng.randrange(8 * len(data))
            data[bit // 8] ^= 1 << bit % 8
            (store / name).write_bytes(data)
            is_run = number % _ALSO_RUN == 0
            found = wrongs(folder, store, right, is_run=is_run)
            wrong += [f"bit {bit} of {name}: {each}" for each in found]
            if not is_run or found:
                (store / name).write_bytes(right[name])
    return wrong
