"""Ctrl-C while a capture comes by a pipe, which a terminal sends to both ends of it."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest
from handmade import Conversation, save

CLOSING = 40
"""Bytes of the last packet, an acknowledgment, without those of its record's header."""


@pytest.fixture
def packets(tmp_path: Path) -> bytes:
    """Give a capture that no pipe has room for: who wrote it knows that it is being read."""
    talk = Conversation().opened()
    for number in range(400):
        talk.data(0.1 + 0.06 * number, number).ack(0.15 + 0.06 * number, number + 1)
    return save(tmp_path / "whole.pcap", talk).read_bytes()


def begun(file: str | Path, *words: object) -> subprocess.Popen[bytes]:
    program = [sys.executable, "-c", "from anechoic.cli import cli; cli(prog_name='anechoic')"]
    command = [*program, "analyse", *map(str, (file, *words))]
    piped = subprocess.PIPE
    return subprocess.Popen(command, stdin=piped, stdout=piped, stderr=piped)


def interrupted_once(process: subprocess.Popen[bytes], pipe: IO[bytes], packets: bytes) -> None:
    """Write all but the last packet, press Ctrl-C, and wait until that was taken note of."""
    pipe.write(packets[:-CLOSING])
    pipe.flush()
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    process.stderr.readline()
    said = process.stderr.readline()
    assert said == b"reading to the end of the pipe (Ctrl-C again to stop)\n"


@pytest.mark.parametrize("options", [[], ["--out", "kept"]])
def test_the_first_ctrl_c_is_for_who_writes_into_the_pipe(
    packets: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    process = begun("-", *options)
    assert process.stdin is not None
    interrupted_once(process, process.stdin, packets)
    shown, said = process.communicate(packets[-CLOSING:])
    assert (process.returncode, said) == (0, b"")
    assert b"1 connection in 803 packets" in shown
    assert (tmp_path / "kept" / "report.html").exists() == bool(options)


def test_so_it_is_with_a_pipe_that_has_a_name(packets: bytes, tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    process = begun(path)
    with path.open("wb") as pipe:
        interrupted_once(process, pipe, packets)
        pipe.write(packets[-CLOSING:])
    shown, _ = process.communicate()
    assert process.returncode == 0
    assert b"1 connection in 803 packets" in shown


@pytest.mark.parametrize("options", [[], ["--out", "kept"]])
def test_a_second_ctrl_c_stops_at_once_and_leaves_nothing(
    packets: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.chdir(tmp_path)
    process = begun("-", *options)
    assert process.stdin is not None
    interrupted_once(process, process.stdin, packets)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    shown, said = process.communicate()
    assert (shown, said) == (b"", b"\nstopped\n")
    assert not list(temporary.iterdir())
