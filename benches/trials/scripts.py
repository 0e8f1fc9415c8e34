"""Scripts that were mutated: each is run or refused, in bounded time, and nothing breaks."""

import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SEEDS = ROOT / "tests" / "scripts"

# No script of the seeds takes a hundredth of that.
LIMIT_S = 60
AT_A_TIME = 50

# What a mutation puts in: limits of the language, its marks, and pieces that make work.
PIECES = [
    *(b"0 -1 4294967295 9223372036854775807 99999999999999999999 1e9 +31536000".split()),
    *(b"* ... ` %{ }% /* < > ( [ { -".split()),
    b'"',
    b"\n",
    b"\x00",
    b"\xff\xfe",
    b"+0 %{ while True: pass }%\n",
    b"+0 %{ x = range(1000000)\nfor i in x:\n for j in x:\n  pass }%\n",
    b"+0 write(4, ..., 1000000000) = 1000000000\n",
    b"+0 setsockopt(4, SOL_SOCKET, SO_SNDBUF, [2000000000], 4) = 0\n",
    b"+31536000 < . 1:1(0) ack 1 win 0\n",
    b"+0 < icmp unreachable frag_needed mtu 1 [1:2(1)]\n",
    b"--init_scripts=/dev/zero\n",
    b'-DS="S S S S"\n',
]


def trial(count: int, seed: int) -> list[str]:
    """Run so many mutated scripts; what went wrong, with the seed that makes it again."""
    rng = random.Random(seed)
    seeds = [path.read_bytes() for path in sorted(SEEDS.rglob("*.pkt"))]
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for start in range(0, count, AT_A_TIME):
            numbers = range(start, min(start + AT_A_TIME, count))
            paths = [folder / f"{number}.pkt" for number in numbers]
            for path in paths:
                path.write_bytes(mutated(rng.choice(seeds), rng))
            if trouble := _run(paths):
                wrong += [f"seed {seed}, {line}" for path in paths if (line := _run([path]))] or [
                    f"seed {seed}, scripts {start} to {numbers[-1]} together: {trouble}"
                ]
            for path in paths:
                path.unlink()
    return wrong


def mutated(text: bytes, rng: random.Random) -> bytes:
    """Change a script at one to eight places."""
    changed = bytearray(text)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(changed) + 1)
        lines = bytes(changed).split(b"\n")
        match rng.randrange(6):
            case 0:
                changed[at : at + rng.randint(1, 20)] = b""
            case 1:
                changed[at:at] = rng.choice(PIECES)
            case 2 if at < len(changed):
                changed[at] ^= 1 << rng.randrange(8)
            case 3:
                changed = bytearray(b"\n".join(lines + [rng.choice(lines)] * rng.randint(1, 300)))
            case 4:
                rng.shuffle(lines)
                changed = bytearray(b"\n".join(lines))
            case _:
                changed = changed[:at] + rng.choice(PIECES) + bytes(changed[at:])
    return bytes(changed)


def _run(paths: list[Path]) -> str:
    """Run scripts as a user does; what is wrong with how it went."""
    command = [str(Path(sys.executable).with_name("anechoic")), "script", *map(str, paths)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return f"{paths[0].name}: not over within {LIMIT_S} s"
    said = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode not in (0, 1, 2, 3):
        return f"{paths[0].name}: exit status {done.returncode}: {said[-300:]}"
    for sign in ("Traceback", "panicked", "the runner of scripts has failed"):
        if sign in said:
            return f"{paths[0].name}: {said[said.index(sign) :][:300]}"
    return ""
