"""Damages of a store: cut, emptied, overwritten, swapped and missing files, and others in place.

Each is to be noticed, by name, and healed by the same command, or refused: never another result.
"""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import anechoic as an
from trials.outcomes import SCENARIO, ended, files_of, scratch

Damage = Callable[[Path, list[Path], random.Random], None]


def trial(count: int, seed: int) -> list[str]:
    """Damage a store so often; give what went wrong."""
    rng = random.Random(seed)
    wrong: list[str] = []
    with scratch() as folder:
        whole = begun(folder)
        right = files_of(whole)
        for number in range(count):
            name, path, store = _damaged(folder, whole, rng)
            what = f"damage {number}, {name} of {path}"
            wrong += [f"{what}: {each}" for each in wrongs(folder, store, right)]
    return wrong


def begun(folder: Path) -> Path:
    """Run a small campaign to its end."""
    (folder / "lab.toml").write_text(SCENARIO, encoding="utf-8")
    done = ended(*_command(folder, folder / "whole"))
    assert done.status == 0, done
    return folder / "whole"


def wrongs(folder: Path, store: Path, right: dict[str, bytes], *, is_run: bool = True) -> list[str]:
    """Read a damaged store, then go on with it: what is wrong with either."""
    found = []
    read = _read(store)
    if read not in (None, right["results.json"].decode()):
        found.append("it is read as another result" if "Traceback" not in read else read)
    if not is_run:
        return found
    done = ended(*_command(folder, store))
    if complaint := done.complaint((0, 1, 2)):
        found.append(complaint)
    elif done.status == 1 and "is a folder" not in done.said:
        found.append(f"status 1: {done.said.strip()[-200:]}")
    elif done.status == 0:
        now = files_of(store)
        others = [name for name in right if now.get(name) != right[name] and "report" not in name]
        found += [f"the same command leaves another {name}" for name in others]
        found += [f"it leaves {name}" for name in now.keys() - right.keys()]
    return found


def _read(store: Path) -> str | None:
    """Give the results that a store is read for; None if it is refused."""
    try:
        results = an.Results.load(store)
        for cell in results.cells:
            for replication in range(cell.replications):
                for read in (results.series, results.transfers, results.distributions):
                    read(cell, replication)
        return results.to_json()
    except (an.ScenarioError, LookupError):
        return None
    except Exception as error:
        return f"Traceback … {type(error).__name__}: {error}"


def _command(folder: Path, out: Path) -> tuple[str | Path, ...]:
    return ("run", folder / "lab.toml", "--reps", "2", "--jobs", "1", "--out", out)


def _damaged(folder: Path, whole: Path, rng: random.Random) -> tuple[str, Path, Path]:
    # Beside the whole one it would take over what it has lost.
    store = folder / "elsewhere" / "store"
    shutil.rmtree(store.parent, ignore_errors=True)
    shutil.copytree(whole, store)
    paths = sorted(path for path in store.rglob("*") if path.is_file())
    path, damage = rng.choice(paths), rng.choice(DAMAGES)
    damage(path, paths, rng)
    return damage.__name__.strip("_"), path.relative_to(store), store


def _cut(path: Path, _paths: list[Path], rng: random.Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: rng.randrange(len(data) + 1)])


def _emptied(path: Path, _paths: list[Path], _rng: random.Random) -> None:
    path.write_bytes(b"")


def _overwritten(path: Path, _paths: list[Path], rng: random.Random) -> None:
    data = bytearray(path.read_bytes())
    start, many = rng.randrange(len(data)), rng.randrange(1, 64)
    data[start : start + many] = rng.randbytes(many)
    path.write_bytes(data)


def _zeroed(path: Path, _paths: list[Path], _rng: random.Random) -> None:
    path.write_bytes(bytes(len(path.read_bytes())))


def _longer(path: Path, _paths: list[Path], rng: random.Random) -> None:
    path.write_bytes(path.read_bytes() + rng.randbytes(rng.randrange(1, 100)))


def _removed(path: Path, _paths: list[Path], _rng: random.Random) -> None:
    path.unlink()


def _swapped(path: Path, paths: list[Path], rng: random.Random) -> None:
    like = [each for each in paths if each.suffix == path.suffix]
    other = rng.choice(like)
    path_data, other_data = path.read_bytes(), other.read_bytes()
    path.write_bytes(other_data)
    other.write_bytes(path_data)


def _copied_over(path: Path, paths: list[Path], rng: random.Random) -> None:
    path.write_bytes(rng.choice(paths).read_bytes())


def _made_a_pipe(path: Path, _paths: list[Path], _rng: random.Random) -> None:
    path.unlink()
    os.mkfifo(path)


def _made_a_link(path: Path, paths: list[Path], rng: random.Random) -> None:
    other = rng.choice(paths)
    if other != path:
        path.unlink()
        path.symlink_to(other)


def _made_a_folder(path: Path, _paths: list[Path], _rng: random.Random) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: tuple[Damage, ...] = (
    _cut,
    _emptied,
    _overwritten,
    _zeroed,
    _longer,
    _removed,
    _swapped,
    _copied_over,
    _made_a_pipe,
    _made_a_link,
    _made_a_folder,
)
