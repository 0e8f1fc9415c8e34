"""The first screen of a page: what happened, to whom, when, why, and what helps."""

from pathlib import Path

import anechoic as an
from anechoic.report.page import write

EXAMPLES = Path(an.__file__).with_name("examples")


def first_screen(example: str, out: Path, replace: dict[str, object]) -> str:
    """Return the text of a page above the facts of its experiment."""
    scenario = EXAMPLES / f"{example}.toml"
    results = an.run(scenario, out=out, reps=2, progress=False, set=replace)
    page = write(results, out).read_text(encoding="utf-8")
    return page[page.index("<h1>") : page.index("<dl>")]


def in_order(text: str, *parts: str) -> None:
    places = [text.find(part) for part in parts]
    assert -1 not in places, [part for part in parts if part not in text]
    assert places == sorted(places)


def test_hidden_stations_collide_since_they_do_not_hear_each_other(tmp_path: Path) -> None:
    in_order(
        first_screen("hidden", tmp_path, {"run.duration": "4 s"}),
        "The share of frames that collided was 4",
        "What helps, against stations = hidden: in the open (collided ",
        "“hidden, with RTS” (collided ",
        "collided with one of a station that their sender does not hear.",
        "Hidden from each other are left and right: neither waits while the other sends.",
        "RTS (rts_threshold = 0) makes each ask first.",
    )


def test_a_gap_of_a_walking_station_is_told_with_its_time_and_longest_part(tmp_path: Path) -> None:
    in_order(
        first_screen("roaming", tmp_path, {}),
        "walker had no access point for ",
        "When walker changed its access point, its packets came through again ",
        "Most of the longest time, ",
        "In its first run that was at 4",
    )


def test_a_ping_behind_a_long_queue_is_told_where_it_waited(tmp_path: Path) -> None:
    in_order(
        first_screen("bufferbloat", tmp_path, {"run.duration": "16 s"}),
        "In the window loaded (6 s to 15 s), the median ping of probe from laptop to server took ",
        "What helps, against queue = drop-tail: fq-codel (probe median 94 % less",
        "Packets waited longest before the wire uplink at home: the median wait was ",
        " % of the median round trip with queue = drop-tail.",
    )
