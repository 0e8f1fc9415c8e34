"""Scenarios tampered with: each is checked, told of or run, or refused with a message."""

import random

from anechoic.examples import examples
from trials.mutations import mutated_text
from trials.outcomes import ended, scratch

_SHORT = ("--set", "run.duration=20 ms", "--set", "run.warmup=0 s", "--reps", "2", "--jobs", "1")


def trial(count: int, seed: int) -> list[str]:
    """Tamper with so many scenarios; give what went wrong."""
    rng = random.Random(seed)
    wrong: list[str] = []
    texts = [path.read_bytes() for path in examples().values()]
    with scratch() as folder:
        file = folder / "lab.toml"
        for number in range(count):
            text = mutated_text(rng.choice(texts), texts, rng)
            file.write_bytes(text)
            words: tuple[str, ...] = (rng.choice(("check", "check", "check", "explain", "calc")),)
            if number % 25 == 0:
                words = ("run", *_SHORT, "--out", str(folder / f"{number}"))
            done = ended(words[0], file, *words[1:])
            if complaint := done.complaint():
                kept = folder.parent / f"anechoic-trial-scenario-{seed}-{number}.toml"
                kept.write_bytes(text)
                wrong.append(f"{' '.join(words)} {kept}: {complaint}")
    return wrong
