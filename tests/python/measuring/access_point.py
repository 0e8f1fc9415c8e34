"""An access point's objects of IEEE802dot11-MIB, for snmpd (pass_persist, snmpd.conf(5)).

    python access_point.py FILE

Reads and keeps the values in FILE, a JSON object, so that a test sees what was set. It refuses
values that the MIB does not allow, and fragmentation thresholds that are odd, as some devices do.
"""

import json
import sys
from pathlib import Path

TABLE = (1, 2, 840, 10036, 2, 1, 1)
RADIO = 7
"""Its number among the interfaces."""
FRAGMENTATION = 5
RANGES = {2: (0, 2347), 3: (1, 255), 4: (1, 255), FRAGMENTATION: (256, 2346)}

Oid = tuple[int, ...]


def objects(values: dict[str, int]) -> dict[Oid, tuple[str, str]]:
    """Give type and value of every object, in their order."""
    found = {(*TABLE, 1, RADIO): ("string", "02:00:00:00:00:01")}
    for column in sorted(RANGES):
        found[*TABLE, column, RADIO] = ("integer", str(values[str(column)]))
    return found


def main() -> None:
    """Answer on standard output what standard input asks."""
    file = Path(sys.argv[1])
    while command := sys.stdin.readline().strip():
        if command == "PING":
            print("PONG", flush=True)
            continue
        oid = tuple(int(part) for part in sys.stdin.readline().strip().strip(".").split("."))
        values = json.loads(file.read_text())
        if command == "set":
            answer = put(file, values, oid, sys.stdin.readline().split())
        else:
            answer = found(objects(values), oid, is_next=command == "getnext")
        print(answer, flush=True)


def found(known: dict[Oid, tuple[str, str]], oid: Oid, *, is_next: bool) -> str:
    """Give an object, or the one behind it."""
    names = [name for name in sorted(known) if name > oid] if is_next else [oid]
    if not names or names[0] not in known:
        return "NONE"
    return "\n".join(["." + ".".join(map(str, names[0])), *known[names[0]]])


def put(file: Path, values: dict[str, int], oid: Oid, words: list[str]) -> str:
    """Set an object."""
    *table, column, radio = oid
    if tuple(table) != TABLE or column not in RANGES or radio != RADIO:
        return "not-writable"
    value = int(words[1].strip('"'))
    low, high = RANGES[column]
    if not low <= value <= high or (column == FRAGMENTATION and value % 2):
        return "wrong-value"
    values[str(column)] = value
    values["sets"] = values.get("sets", 0) + 1
    file.write_text(json.dumps(values))
    return "DONE"


if __name__ == "__main__":
    main()
