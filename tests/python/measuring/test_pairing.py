"""Two machines that learn each other's keys by a code that is typed once."""

import os
import re
import subprocess
import sys
from pathlib import Path

ENDPOINT = [sys.executable, "-m", "anechoic.cli", "pair"]


def begun(home: Path, *words: str) -> "subprocess.Popen[str]":
    home.mkdir(exist_ok=True)
    return subprocess.Popen(
        [*ENDPOINT, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "HOME": str(home)},
    )


def shown(awaiting: "subprocess.Popen[str]") -> tuple[str, str]:
    """Give where a code is awaited, and the code."""
    assert awaiting.stderr is not None
    line = awaiting.stderr.readline()
    found = re.search(r"pair NAME (\S+) --code (\d{4}-\d{4})$", line)
    assert found, line
    return found[1], found[2]


def ended(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    """Give status, output and messages of what comes to its end."""
    out, told = process.communicate(timeout=30)
    return process.returncode, out, told


def peers(home: Path) -> str:
    path = home / ".config" / "anechoic" / "peers"
    return path.read_text() if path.exists() else ""


def test_a_code_pairs_a_console_with_an_endpoint(tmp_path: Path) -> None:
    pi, desk = tmp_path / "pi", tmp_path / "desk"
    awaiting = begun(pi, "desk", "--await", "--listen", "127.0.0.1:0")
    at, code = shown(awaiting)
    status, _, told = ended(begun(desk, "pi", at, "--code", code))
    assert status == 0, told
    assert ended(awaiting)[0] == 0
    assert re.fullmatch(rf"ed25519:[0-9a-f]{{64}} pi {re.escape(at)}\n", peers(desk))
    assert re.fullmatch(r"ed25519:[0-9a-f]{64} desk\n", peers(pi))
    assert ended(begun(pi))[1].strip() == peers(desk).split()[0]


def test_a_wrong_code_pairs_nobody_and_is_one_line(tmp_path: Path) -> None:
    pi, desk = tmp_path / "pi", tmp_path / "desk"
    awaiting = begun(pi, "desk", "--await", "--listen", "127.0.0.1:0")
    at, code = shown(awaiting)
    wrong = f"{(int(code[:4]) + 1) % 10_000:04}{code[4:]}"
    status, _, said = ended(begun(desk, "pi", at, "--code", wrong))
    assert status == 2
    assert said.startswith("anechoic: ")
    assert said.count("\n") == 1
    assert ended(awaiting)[0] == 2
    assert (peers(pi), peers(desk)) == ("", "")
