"""Replications on other machines, by Dask: whatever happens there, no byte changes."""

import asyncio
import contextlib
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import distributed
import pytest
from click.testing import CliRunner
from distributed.security import Security

import anechoic as an
from anechoic.campaign import cluster as cluster_module
from anechoic.campaign.elsewhere import ClusterGone
from anechoic.campaign.keys import KeyFolder, made, security
from anechoic.campaign.own_cluster import OwnCluster
from anechoic.cli import cli

SCENARIO = """
run = { duration = "60 s", warmup = "2 s" }
host.server.stack = "linux-6"
ap.office.profile = "plain"
sta.laptop = { ap = "office", stack = "linux-6" }
wire.lan.between = ["server", "office"]
air.loss = "60 dB"
traffic.download = { app = "bulk", from = "server", to = "laptop" }

[tap.cable]
at = "wire.lan"
snap = "100 B"

[[sweep]]
"ap.office.rate" = ["1 Mbit/s", "2 Mbit/s", "11 Mbit/s"]
"""
REPS = 6


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "lab.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    return path


@pytest.fixture
def cluster() -> Iterator[OwnCluster]:
    own = OwnCluster(workers=2)
    try:
        yield own
    finally:
        own.close()


def connected(cluster: OwnCluster) -> distributed.Client:
    """Give a client that has the keys."""
    return distributed.Client(cluster.address, security=security(cluster.keys))


def written(out: Path) -> dict[str, bytes]:
    """Give every file of a campaign's folder."""
    files = (path for path in sorted(out.rglob("*")) if path.is_file() and path.name != "lock")
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


def begun(scenario: Path, out: Path, cluster: OwnCluster) -> "subprocess.Popen[str]":
    """Start the command line and wait until the first replications are kept."""
    environment = os.environ | KeyFolder(cluster.keys, scenario.parent).environment()
    command = [sys.executable, "-m", "anechoic.cli", "run", str(scenario), "--out", str(out)]
    command += ["--reps", str(REPS), "--on", cluster.address]
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    process = subprocess.Popen(command, **piped, text=True, env=environment)
    await_kept(out, 3, process)
    return process


def await_kept(out: Path, replications: int, process: "subprocess.Popen[str]") -> None:
    """Wait until so many replications are kept."""
    deadline = time.monotonic() + 60
    while len(list(out.glob("records/*/000?.sha256"))) < replications:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_the_death_of_a_worker_and_of_the_client_changes_no_byte(
    scenario: Path, tmp_path: Path, cluster: OwnCluster
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    an.run(scenario, out=here, reps=REPS, progress=False)
    client = begun(scenario, there, cluster)
    cluster.workers[0].kill()
    await_kept(there, 5, client)
    client.kill()
    client.communicate()
    kept = {path: path.stat().st_mtime_ns for path in there.glob("records/*/000?.sha256")}
    assert 5 <= len(kept) < 3 * REPS
    with connected(cluster) as ours:
        an.run(scenario, out=there, reps=REPS, on=ours, progress=False)
    assert all(path.stat().st_mtime_ns == then for path, then in kept.items())
    assert written(there) == written(here)


def test_ctrl_c_waits_for_what_is_under_way_elsewhere(
    scenario: Path, tmp_path: Path, cluster: OwnCluster
) -> None:
    client = begun(scenario, tmp_path / "out", cluster)
    client.send_signal(signal.SIGINT)
    said, _ = client.communicate(timeout=60)
    assert client.returncode == 130, said
    assert "the same command goes on from there" in said


def test_a_scheduler_that_goes_away_leaves_what_is_finished(
    scenario: Path, tmp_path: Path, cluster: OwnCluster
) -> None:
    address = cluster.address
    client = begun(scenario, tmp_path / "out", cluster)
    cluster.scheduler.kill()
    said, _ = client.communicate(timeout=90)
    assert client.returncode == 1, said
    last = said.splitlines()[-1]
    assert f"the scheduler at {address} has gone; " in last
    assert "finished replications are kept, and the same command goes on from there" in last
    assert "Traceback" not in said


def test_without_workers_a_run_says_so_and_ends(
    scenario: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cluster: OwnCluster
) -> None:
    monkeypatch.setattr("anechoic.campaign.cluster._AWAITED_S", 2.0)
    out = tmp_path / "out"

    def kill_all() -> None:
        while not list(out.glob("records/*/000?.sha256")):
            time.sleep(0.01)
        for worker in cluster.workers:
            worker.kill()

    gone = "all workers of tls://.* have gone; .* are kept"
    with connected(cluster) as client, pytest.raises(OSError, match=gone):
        client.wait_for_workers(2)
        threading.Thread(target=kill_all).start()
        an.run(scenario, out=out, reps=10_000, on=client, progress=False)


def sockets_of(process: int) -> Iterator[str]:
    """Yield the inode of every socket that a process has open."""
    for each in Path(f"/proc/{process}/fd").iterdir():
        # The process goes on meanwhile, and may have closed one that was listed.
        with contextlib.suppress(FileNotFoundError):
            link = str(each.readlink())
            if link.startswith("socket:["):
                yield link[8:-1]


def listened_at(process: int) -> list[str]:
    """Give the addresses that a process listens at, as the kernel writes them."""
    sockets = set(sockets_of(process))
    tables = (Path(f"/proc/net/{name}").read_text().splitlines() for name in ("tcp", "tcp6"))
    rows = [line.split() for table in tables for line in table]
    return [row[1].partition(":")[0] for row in rows if row[3] == "0A" and row[9] in sockets]


async def _asked(address: str, keys: Any) -> None:
    arguments = keys.get_connection_args("client")
    async with distributed.rpc(address, connection_args=arguments) as node:
        await node.identity()


def answers(address: str, keys: Any) -> bool:
    """Say whether a node does what it is asked by who comes with these keys."""
    try:
        asyncio.run(asyncio.wait_for(_asked(address, keys), 3))
    except (OSError, RuntimeError):
        return False
    return True


def test_another_user_finds_one_port_of_each_node_and_no_way_in(cluster: OwnCluster) -> None:
    """He has what the machine shows to everybody, and keys of his own making."""
    with connected(cluster) as client:
        client.wait_for_workers(2)
        workers = list(client.scheduler_info()["workers"])
        assert all(client.run(os.getpid).values())
    for program in (cluster.scheduler, *cluster.workers):
        assert listened_at(program.pid) == ["0100007F"]  # 127.0.0.1
        # What a program was begun with, every user may read.
        assert b"KEY" not in Path(f"/proc/{program.pid}/cmdline").read_bytes()
    for address in (cluster.address, *workers):
        assert answers(address, security(cluster.keys))
        assert not answers(address, security(made()))
        assert not answers(address.replace("tls://", "tcp://"), Security())
    with pytest.raises(OSError, match="certificate"):
        distributed.Client(cluster.address, timeout=1, security=security(made()))


def test_nothing_is_left_when_the_parent_is_killed(tmp_path: Path) -> None:
    begin = (
        "import sys\nfrom anechoic.campaign.own_cluster import OwnCluster\n"
        "own = OwnCluster(1)\nprint(own.scheduler.pid, own.workers[0].pid, flush=True)\n"
        "sys.stdin.read()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", begin],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    assert parent.stdout is not None
    nodes = [Path("/proc", number) for number in parent.stdout.readline().decode().split()]
    assert [path.stat().st_mode & 0o777 for path in tmp_path.iterdir()] == [0o700]
    parent.kill()
    parent.communicate()
    deadline = time.monotonic() + 20
    while any((node / "exe").exists() for node in nodes):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert not list(tmp_path.iterdir())


def test_a_worker_of_another_build_is_refused(
    scenario: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = OwnCluster(workers=1)
    try:
        with connected(own) as client:
            client.wait_for_workers(1)
            monkeypatch.setattr("anechoic.campaign.cluster.build", lambda: "0.1.0+another")
            with pytest.raises(an.ScenarioError, match=r"has build .*, not 0\.1\.0\+another"):
                an.run(scenario, out=tmp_path / "out", on=client, progress=False)
    finally:
        own.close()


def test_what_ends_as_its_client_is_closed_holds_nobody_up() -> None:
    """All clients of a process hear of their tasks' ends in one thread."""

    class Closed:
        status = "closed"

        def result(self, timeout: float) -> None:
            raise TimeoutError(timeout)

    done: Future[Any] = Future()
    sent: Any = cluster_module._Sent("there", Closed(), Mock(), done)
    sent._ended(Closed())
    with pytest.raises(ClusterGone, match="the scheduler at there has gone"):
        done.result(timeout=0)


def test_a_batch_system_starts_the_workers(
    scenario: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SLURM is a script here that runs the job that Dask's own class has written."""
    # As the real one, it has its own copy of the script when it answers.
    begins = 'cp "$1" job.sh; setsid bash job.sh >/dev/null 2>&1 & echo "Submitted batch job $!"'
    for name, does in (("sbatch", begins), ("scancel", 'kill -- "-$1"')):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/bash\ncd {tmp_path}\n{does}\n", "utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    settings = {"jobqueue.slurm.cores": 1, "jobqueue.slurm.memory": "1 GB"}
    settings |= {"jobqueue.slurm.interface": "lo"}
    import dask

    with dask.config.set(settings):
        found = an.run(scenario, out=tmp_path / "there", reps=2, on="slurm", progress=False)
    here = an.run(scenario, out=tmp_path / "here", reps=2, progress=False)
    assert found.to_json() == here.to_json()


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("cloud", '--on cloud: there is no such place to run on; allowed: "dask"'),
        ("tcp://127.0.0.1:1", '--on "tcp://127.0.0.1:1": no scheduler answers: '),
        (
            "pbs",
            "--on pbs: Dask's configuration does not say jobqueue.pbs.cores, jobqueue.pbs.memory",
        ),
    ],
)
def test_a_place_that_is_none_is_told_in_a_line(
    place: str, said: str, scenario: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anechoic.campaign.cluster._CONNECT_S", 0.5)
    words = ["run", str(scenario), "--out", str(tmp_path / "out"), "--on", place]
    done = CliRunner().invoke(cli, words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"anechoic: {said}"), done.stderr
    assert done.stderr.count("\n") == 1
