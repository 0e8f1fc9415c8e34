"""Another user of the machine gets no program run and no file read by `script --kernel`.

Here he is `nobody`; who runs the scripts is root, without whom there is no kernel to run them.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ANECHOIC = str(Path(sys.executable).with_name("anechoic"))
NOBODY = 65_534
ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
NOTES = Path("/run/anechoic")


def has_kernel() -> bool:
    """Say whether scripts can be run against the kernel here."""
    return os.geteuid() == 0 and Path("/dev/net/tun").exists() and shutil.which("ip") is not None


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder in which everybody may put files, as in /tmp."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o1777)
        yield folder


def as_nobody(command: str) -> None:
    """Let the other user do something, which may fail."""
    subprocess.run(["/bin/sh", "-c", command], user=NOBODY, group=NOBODY, check=False)


def script(path: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run it as root."""
    command = [ANECHOIC, "script", "--kernel", str(path)]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **more},
    )


def own(folder: Path, text: str) -> Path:
    """A script of root's in a folder of root's below."""
    inner = folder / "own"
    inner.mkdir()
    path = inner / "one.pkt"
    path.write_text(text)
    return path


def expect(done: subprocess.CompletedProcess[str], wanted: str) -> None:
    """Hold what was said to what is wanted, or to the missing privilege."""
    wanted = wanted if has_kernel() else "needs root"
    if os.geteuid() == 0:
        assert wanted in done.stdout + done.stderr, done.stdout + done.stderr


@pytest.mark.parametrize(
    "text",
    [
        "`../common/defaults.sh`\n0 `true`\n",
        "--init_scripts=../common/defaults.sh\n0 `true`\n",
        "`sh ../common/defaults.sh`\n0 `true`\n",
    ],
)
def test_helpers_that_he_has_put_beside_scripts_are_not_run(text: str, shared: Path) -> None:
    as_nobody(
        f"mkdir {shared}/common; echo 'touch {shared}/own/ran' > {shared}/common/defaults.sh;"
        f"chmod -R a+rx {shared}/common"
    )
    done = script(own(shared, text))
    if os.geteuid() == 0:
        expect(done, "belongs to another user")
    assert not (shared / "own" / "ran").exists()


def test_a_pipe_that_he_has_put_beside_scripts_holds_nothing_up(shared: Path) -> None:
    as_nobody(f"mkdir {shared}/common; mkfifo {shared}/common/defaults.sh")
    done = script(own(shared, "`../common/defaults.sh`\n0 `true`\n"))
    if os.geteuid() == 0:
        expect(done, "belongs to another user")


def test_nothing_is_run_or_written_where_he_could_have_put_it(shared: Path) -> None:
    # Whatever number the process has, a folder by the name of its first script is there before.
    as_nobody(
        f"cd {shared}; for process in $(seq $$ $(($$ + 500))); do"
        f" mkdir anechoic-script-${{process}}_0;"
        f" echo 'touch {shared}/own/ran' > anechoic-script-${{process}}_0/defaults.sh; done"
    )
    text = (
        "`../x/defaults.sh\n../x/set_sysctls.py /proc/sys/net/ipv4/tcp_sack=0`\n"
        " 0 `test $(cat /proc/sys/net/ipv4/tcp_sack) = 0`\n"
        "`/tmp/sysctl_restore_${PPID}.sh`\n`test $(cat /proc/sys/net/ipv4/tcp_sack) = 1`\n"
    )
    before = {path.name for path in Path("/tmp").glob("sysctl_restore_*")}
    done = script(own(shared, text), TMPDIR=str(shared))
    expect(done, "1 passed")
    assert not (shared / "own" / "ran").exists()
    assert {path.name for path in Path("/tmp").glob("sysctl_restore_*")} <= before
    assert not list(shared.glob("script-*"))


@pytest.mark.parametrize("kind", ["file", "link", "folder", "pipe"])
def test_scripts_that_he_has_put_there_are_not_run(kind: str, shared: Path) -> None:
    path = shared / "his.pkt"
    do = {
        "file": f"echo '0 `touch {shared}/ran`' > {path}",
        "link": f"ln -s /etc/shadow {path}",
        "folder": f"mkdir {shared}/his; echo '0 `touch {shared}/ran`' > {shared}/his/one.pkt",
        "pipe": f"mkfifo {path}",
    }
    as_nobody(do[kind])
    done = script(shared if kind != "folder" else shared / "his")
    if os.geteuid() == 0:
        assert done.returncode == 2, done.stdout
        assert "belongs to another user, number 65534" in done.stderr
        assert "root:" not in done.stdout + done.stderr
    assert not (shared / "ran").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_what_was_changed_on_the_machine_is_put_back(number: signal.Signals, shared: Path) -> None:
    if not has_kernel() or not ALLOWED.exists():
        return
    before = ALLOWED.read_text()
    started = shared / "own" / "started"
    path = own(shared, f"0 `touch {started}; sleep 100`\n")
    command = [ANECHOIC, "script", "--kernel", str(path)]
    begun = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    while not started.exists():
        assert begun.poll() is None, begun.communicate()
        time.sleep(0.01)
    assert not NOTES.stat().st_mode & 0o077
    begun.send_signal(number)
    begun.communicate(timeout=60)
    if number == signal.SIGKILL:
        assert script(path.with_name("none.pkt")).returncode == 2
        path.write_text("0 `true`\n")
        expect(script(path), "1 passed")
    else:
        assert begun.returncode == 128 + number
    assert ALLOWED.read_text() == before
    assert not list(NOTES.glob("script-*"))
    assert not (NOTES / "changed.json").exists()
