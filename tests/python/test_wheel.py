"""What is installed from a wheel works where there is no repository."""

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "anechoic"
SHORT = ["--set", "run.duration=2 s", "--set", "run.warmup=0 s", "--reps", "2"]

Command = Callable[..., str]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, out of what `make setup` compiled."""
    out = tmp_path_factory.mktemp("wheel")
    maturin = [sys.executable, "-m", "maturin", "build", "--release", "--locked", "--quiet"]
    # As the Makefile names it: with another name cargo would compile the binding again.
    interpreter = {"PYO3_PYTHON": sys.executable}
    subprocess.run(
        [*maturin, "--interpreter", sys.executable, "--out", str(out)],
        cwd=ROOT,
        env={**os.environ, **interpreter},
        check=True,
    )
    (path,) = out.glob("anechoic-*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Install the wheel in an environment of its own, and give its commands."""
    home = tmp_path_factory.mktemp("home")
    environment = home / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel)], check=True)
    # The libraries are those of this environment; what leads from there to the repository, a
    # file of paths too, is not read.
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def run(program: str, *arguments: str) -> str:
        outside = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            [environment / "bin" / program, *arguments],
            cwd=home,
            env=outside,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if name.startswith("anechoic/")}
    files = {
        str(path.relative_to(PACKAGE.parent))
        for path in PACKAGE.rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".so")
    }
    assert held == files | {"anechoic/_core.abi3.so"}


def test_an_installed_program_runs_an_experiment_that_it_brings(installed: Command) -> None:
    code = "import anechoic.studies as studies; print(studies.__path__[0])"
    studies = Path(installed("python", "-c", code).strip())
    assert not studies.is_relative_to(ROOT)
    assert installed("anechoic", "--version").startswith("anechoic ")
    table = installed("anechoic", "run", str(studies / "goel2006" / "goel-1.toml"), *SHORT)
    assert "goodput_mbps" in table
    assert table.endswith("report: results/goel-1/report.html\n")


def test_an_installed_program_knows_its_studies_by_name(installed: Command) -> None:
    assert "goodput_mbps" in installed("anechoic", "run", "goel-1", *SHORT)
    scorecard = installed("anechoic", "claims", "goel-1", "--reps", "2", "--json")
    claims = json.loads(scorecard)["claims"]
    assert {claim["experiment"] for claim in claims} == {"goel-1"}
