"""The bottleneck within a Linux that runs as a program (User-Mode Linux).

What queueing disciplines the running kernel lacks, the one of Debian's package user-mode-linux has.
`python -m bottleneck_link.guest FOLDER`, as the first process of that kernel, does there what
`kernel.run` does for the request in the folder.
"""

import contextlib
import ctypes
import os
import pickle
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

from bottleneck_link import Bottleneck, Clock, Outcome, kernel

PROGRAM = "linux.uml"
MODULES = Path("/usr/lib/uml/modules")
NEEDED = (
    *("lib/crc-ccitt", "net/ipv6/ipv6"),
    *("drivers/net/veth", "drivers/net/tun", "net/sched/sch_tbf"),
)

JIFFY_MS = 10
"""That kernel's: CONFIG_HZ is 100."""

BUILDING_S = 60.0
"""How long it may take beside the transfer."""

FINIT_MODULE = 313  # arch/x86/entry/syscalls/syscall_64.tbl
POWER_OFF = 0x4321FEDC  # linux/reboot.h


def run(bottleneck: Bottleneck, clock: Clock) -> Outcome:
    """Boot the kernel, transfer over the bottleneck there, and give the outcome."""
    # Before every ordinary process: its clock is the real one.
    program = ["chrt", "--fifo", "50", PROGRAM, "mem=256M", "quiet", "con=null", "con0=null,fd:1"]
    files = ["root=/dev/root", "rootfstype=hostfs", "rw"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "request").write_bytes(pickle.dumps((bottleneck, clock)))
        # What it does not know and has an equals sign becomes its first process's environment.
        path = f"PYTHONPATH={Path(__file__).parent.parent}"
        first = [path, f"init={sys.executable}", "--", "-m", "bottleneck_link.guest", name]
        with (folder / "console").open("w") as console:
            streams = {"stdin": subprocess.DEVNULL, "stdout": console, "stderr": console}
            with contextlib.suppress(subprocess.TimeoutExpired):
                longest = clock.end_s + BUILDING_S
                subprocess.run([*program, *files, *first], **streams, timeout=longest, check=False)
        if not (folder / "outcome").exists():
            console_text = (folder / "console").read_text()
            raise kernel.Broken(f"{bottleneck.name}: {console_text[-1000:]}")
        outcome: Outcome = pickle.loads((folder / "outcome").read_bytes())
    return outcome


def version() -> str:
    """Name the kernel."""
    return max(each.name for each in MODULES.iterdir())


def main() -> None:
    """Be the first process: furnish the machine, measure, and switch it off."""
    try:
        folder = Path(sys.argv[1])
        bottleneck, clock = pickle.loads((folder / "request").read_bytes())
        furnish(bottleneck)
        outcome, _ = kernel.run(bottleneck, clock, "guest")
        (folder / "outcome").write_bytes(pickle.dumps(outcome))
        os.sync()
    except BaseException:  # Whatever it is: a kernel without its first process panics.
        traceback.print_exc()
    finally:
        ctypes.CDLL(None).reboot(POWER_OFF)


def furnish(bottleneck: Bottleneck) -> None:
    """Mount what programs look for, and load what the bottleneck is made of."""
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    for kind, where in (("proc", "/proc"), ("sysfs", "/sys"), ("tmpfs", "/run")):
        kernel.command("mount", "-t", kind, kind, where)
    libc = ctypes.CDLL(None, use_errno=True)
    own = [f"net/sched/sch_{bottleneck.active.tc[0]}"] if bottleneck.active else []
    for name in (*NEEDED, *own):
        with (MODULES / os.uname().release / "kernel" / f"{name}.ko").open("rb") as module:
            if libc.syscall(FINIT_MODULE, module.fileno(), b"", 0) != 0:
                raise kernel.Broken(f"{name}: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    main()
