"""What is no script, or would make endless work, is refused or stopped with one message."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "benches"))

from trials import scripts

HANDSHAKE = """\
 0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1000,wscale 14>
+0 > S. 0:0(0) ack 1 <...>
+0 < . 1:1(0) ack 1 win 65535
+0 accept(3, ..., ...) = 4
"""


def anechoic(*arguments: object) -> list[str]:
    return [str(Path(sys.executable).with_name("anechoic")), "script", *map(str, arguments)]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = anechoic(*arguments)
    piped, limit_s = subprocess.PIPE, 60
    return subprocess.run(
        command, stdin=piped, stdout=piped, stderr=piped, text=True, timeout=limit_s, check=False
    )


@pytest.mark.parametrize("kind", ["pipe", "device", "long", "standard input"])
def test_what_may_never_end_is_not_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.pkt"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path = Path("/dev/zero")
        case "long":
            path.write_bytes(b"+0 `true`\n" * 200_000)
        case _:
            path = Path("/dev/stdin")
    done = subprocess.run(
        anechoic(path),
        stdin=subprocess.PIPE,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, done.stdout
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "a pipe or a device" in done.stderr or "longer than 1 MiB" in done.stderr


def test_folders_in_a_circle_are_left(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "one.pkt").write_text("0 `true`\n")
    (tmp_path / "inner" / "circle").symlink_to(tmp_path)
    (tmp_path / "circle").symlink_to(tmp_path)
    assert "1 passed" in run(tmp_path).stdout


@pytest.mark.parametrize(
    "more",
    [
        "+0 %{\nx = range(100000)\nfor a in x:\n for b in x:\n  for c in x:\n   pass\n}%",
        "+0 %{\nx = [1]\nwhile True:\n x = [x, x]\n}%",
        "+0 setsockopt(4, SOL_SOCKET, SO_SNDBUF, [2000000000], 4) = 0\n"
        "+0 write(4, ..., 1000000000) = 1000000000\n" + "* < . 1:1(0) ack 1000000 win 65535\n" * 40,
        "+0 write(4, ..., 100) = 100\n" + "+31000000 `true`\n" * 1000,
    ],
)
def test_endless_work_is_stopped(more: str, tmp_path: Path) -> None:
    path = tmp_path / "endless.pkt"
    path.write_text(HANDSHAKE + more)
    done = run(path)
    assert done.returncode in (0, 1, 3), done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stdout) < 100_000


def test_a_pipe_beside_a_script_is_no_default(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "defaults.sh")
    path = tmp_path / "one.pkt"
    path.write_text("--init_scripts=./defaults.sh\n0 `true`\n")
    assert run(path).returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_many_scripts(number: signal.Signals, tmp_path: Path) -> None:
    loop = "+0 %{\nfor a in range(400000):\n pass\n}%\n"
    for each in range(300):
        (tmp_path / f"{each}.pkt").write_text(loop)
    begun = subprocess.Popen(
        anechoic(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while f"{tmp_path}" not in Path(f"/proc/{begun.pid}/cmdline").read_text():
        time.sleep(0.01)
    threads = Path(f"/proc/{begun.pid}/task")
    while len(list(threads.iterdir())) < 2:
        time.sleep(0.01)
    begun.send_signal(number)
    _, said = begun.communicate(timeout=60)
    assert begun.returncode == 128 + number
    assert said.strip() == "stopped"


def test_mutated_scripts_break_nothing() -> None:
    assert scripts.trial(40, seed=1) == []
