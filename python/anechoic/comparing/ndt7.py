"""Results of ndt7, of its client (`-format=json`) or its server's archive, in our metrics' names.

A test is a download and an upload, one after the other, each of one connection; either end
measures. Times are microseconds. What arrived is what the receiver told, by its application or its
kernel.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anechoic.comparing.phases import named
from anechoic.comparing.round_trips import TCP

Table = Mapping[str, Any]

_DOWNLOAD, _UPLOAD = "download", "upload"
_ARCHIVED = {"Download": _DOWNLOAD, "Upload": _UPLOAD}


def is_ndt7(document: Table) -> bool:
    """Say whether a document is an event of ndt7's client, its summary, or of an archive."""
    return _is_event(document) or any(isinstance(document.get(name), dict) for name in _ARCHIVED)


def tests(found: Sequence[Table]) -> list[Table]:
    """Give each test of a file: the measurements of each of its parts, or what was made of them.

    A client's summary behind its events repeats what they tell.
    """
    tests: list[dict[str, Any]] = []
    is_over = True
    for document in found:
        if not _is_event(document):
            if is_over:
                tests.append(dict(document))
            is_over = True
            continue
        kind, value = document["Key"], document["Value"]
        if is_over or (kind == "starting" and value["Test"] in tests[-1]["events"]):
            tests.append({"events": {}})
            is_over = False
        own = tests[-1]["events"].setdefault(value["Test"], [])
        if kind == "measurement":
            own.append(value)
        elif kind == "error":
            raise ValueError(f"ndt7 says: {value.get('Failure')}")
    return list(tests)


def metrics(test: Table) -> dict[str, float]:
    """Give what arrived in each part, and what was retransmitted and round trips of a download."""
    phases = {phase: own for phase, own in _phases(test) if own}
    if not phases:
        raise ValueError("it does not tell what was received")
    return named(phases)


def _is_event(document: Table) -> bool:
    return "Key" in document and isinstance(document.get("Value"), dict)


def _phases(test: Table) -> Iterator[tuple[str, dict[str, float]]]:
    for phase, measurements in test.get("events", {}).items():
        apart = {
            origin: [each for each in measurements if each.get("Origin") == origin]
            for origin in ("client", "server")
        }
        yield phase, _measured(phase, apart["client"], apart["server"])
    for name, phase in _ARCHIVED.items():
        own = test.get(name)
        if own is None:
            continue
        if "ServerMeasurements" in own:
            ends = (own.get(f"{end}Measurements") or [] for end in ("Client", "Server"))
            yield phase, _measured(phase, *ends)
        else:
            yield phase, _summed_up(phase, own)


def _summed_up(phase: str, own: Table) -> dict[str, float]:
    """Give what a summary tells; its latency is the least of all round trips, which is no mean."""
    if "Throughput" in own:
        return {"goodput_mbps": float(own["Throughput"]["Value"])}
    # Before, what was uploaded was told by the sender.
    return {"goodput_mbps": float(own["Value"])} if phase == _DOWNLOAD else {}


def _measured(phase: str, client: Sequence[Table], server: Sequence[Table]) -> dict[str, float]:
    kernel = [each["TCPInfo"] for each in server if each.get("TCPInfo")]
    received = client if phase == _DOWNLOAD else server
    application = [each["AppInfo"] for each in received if each.get("AppInfo")]
    found = {}
    counted = "BytesAcked" if phase == _DOWNLOAD else "BytesReceived"
    for told, name in ((application, "NumBytes"), (kernel, counted)):
        if told and told[-1].get("ElapsedTime") and told[-1].get(name):
            # Bits over microseconds are Mbit/s.
            found["goodput_mbps"] = 8 * told[-1][name] / told[-1]["ElapsedTime"]
            break
    if phase == _DOWNLOAD and kernel:
        found["tcp.retransmissions"] = float(kernel[-1]["TotalRetrans"])
        found[TCP] = sum(each["RTT"] for each in kernel) / len(kernel) / 1e3
    return found
