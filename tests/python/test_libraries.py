"""Without the libraries that extras bring, most of the program works, and the rest names them."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path

import pytest

from anechoic.libraries import EXTRAS, MissingLibrary, library

ROOT = Path(__file__).parents[2]
WITHOUT = f"""\
import sys
sys.modules |= dict.fromkeys({list(EXTRAS)})
from anechoic.cli import main
main()
"""
"""The program as it is where none of the libraries is installed."""

Bare = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def bare(tmp_path: Path) -> Bare:
    """Give the program without the libraries, run in a folder of its own."""

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", WITHOUT, *map(str, words)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    return run


def test_extras_are_those_that_the_package_declares() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(EXTRAS.values()) == project["optional-dependencies"].keys()
    base = {requirement.partition(">")[0] for requirement in project["dependencies"]}
    assert base.isdisjoint(EXTRAS)


def test_a_scenario_is_begun_run_and_compared_without_them(bare: Bare, tmp_path: Path) -> None:
    for words in (
        ("new", "bufferbloat"),
        ("check", "bufferbloat.toml"),
        ("run", "bufferbloat.toml", "--reps", 2, "--out", "out"),
        ("compare", "out", "out", "--out", "beside"),
    ):
        done = bare(*words)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "report.html").is_file()
    done = bare("figures", "out")
    said = "figures: matplotlib is not installed; pip install 'anechoic[paper]' installs it"
    assert (done.returncode, done.stderr) == (2, f"anechoic: {said}\n")


def test_a_capture_is_told_of_without_them(bare: Bare, capture: Path) -> None:
    done = bare("analyse", capture)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("claims", "goel-1"),
            "claims: matplotlib, pyarrow and scipy are not installed; "
            "pip install 'anechoic[paper,pyarrow,scipy]' installs them",
        ),
        (
            ("analyse", "CAPTURE", "--out", "told"),
            "--out: matplotlib and pyarrow are not installed; "
            "pip install 'anechoic[paper,pyarrow]' installs them",
        ),
        (
            ("analyse", "CAPTURE", "CAPTURE", "--out", "told"),
            "--out: matplotlib and pyarrow are not installed; "
            "pip install 'anechoic[paper,pyarrow]' installs them",
        ),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_what_needs_them_says_so_before_it_begins(
    bare: Bare, tmp_path: Path, capture: Path, words: tuple[str, ...], said: str
) -> None:
    done = bare(*(capture if word == "CAPTURE" else word for word in words))
    assert (done.returncode, done.stderr) == (2, f"anechoic: {said}\n")
    assert not (tmp_path / "told").exists()


def test_python_is_told_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    said = r"rank: scipy is not installed; pip install 'anechoic\[scipy\]' installs it"
    with pytest.raises(MissingLibrary, match=said) as error:
        library("scipy.stats", "rank")
    assert isinstance(error.value, ModuleNotFoundError)


def test_what_comes_with_an_installation_is_small() -> None:
    """The whole shall weigh less than 120 MB, of which the package itself has some 20."""
    named, seen = ["click", "numpy", "pydantic", "rich"], set[str]()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert [re.split("[>=<]", each)[0] for each in project["dependencies"]] == named
    weight = 0
    while named:
        name = named.pop()
        if name in seen:
            continue
        seen.add(name)
        found = distribution(name)
        files = [Path(str(found.locate_file(each))) for each in found.files or ()]
        weight += sum(each.stat().st_size for each in files if each.suffix != ".pyc")
        needed = [each for each in found.requires or () if ";" not in each]
        named += [re.split(r"[^\w.-]", each)[0] for each in needed]
    assert {"pydantic-core", "pygments"} <= {each.lower().replace("_", "-") for each in seen}
    assert weight < 100e6
