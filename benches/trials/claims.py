"""Files of claims tampered with: each is listed and shown, or refused with a message."""

import random
import shutil

from anechoic.papers.study import CLAIMS, STUDY, shipped
from trials.mutations import mutated_text
from trials.outcomes import ended, scratch


def trial(count: int, seed: int) -> list[str]:
    """Tamper with so many files; give what went wrong."""
    rng = random.Random(seed)
    wrong: list[str] = []
    with scratch() as folder:
        for number in range(count):
            study = rng.choice(shipped())
            mine = folder / "mine"
            shutil.rmtree(mine, ignore_errors=True)
            shutil.copytree(study.folder, mine)
            names = [CLAIMS] * 4 + [STUDY] if (mine / STUDY).is_file() else [CLAIMS]
            path = mine / rng.choice(names)
            texts = [path.read_bytes()]
            text = mutated_text(texts[0], texts, rng)
            path.write_bytes(text)
            command = rng.choice(("list", "show", "show"))
            done = ended("claims", command, mine, "--from", folder)
            if complaint := done.complaint():
                kept = folder.parent / f"anechoic-trial-claims-{seed}-{number}.toml"
                kept.write_bytes(text)
                wrong.append(f"claims {command} {study.id} with {kept}: {complaint}")
    return wrong
