"""A group is a name for several nodes, and stands wherever each of them may."""

from pathlib import Path

import pytest
from conftest import BASELINE
from refused import refusal_of

import anechoic as an
from anechoic.scenario.explain import explained

pytestmark = pytest.mark.usefixtures("core")

CROWD = (
    BASELINE.replace('[sta.laptop]\nap = "office"', '[sta.laptop]\ncount = 2\nap = "office"')
    + """
[sta.phone]
ap = "office"
stack = "windows-xp"

[group.mobile]
members = ["phone", "laptop-2"]

[group.everybody]
members = ["mobile", "laptop", "server"]
"""
)


def plan_with(folder: Path, text: str) -> an.Plan:
    path = folder / "crowd.toml"
    path.write_text(CROWD + text, encoding="utf-8")
    return an.compile_scenario(an.load(path))


def pairs_of(plan: an.Plan, traffic: str) -> list[tuple[str, str]]:
    names = [node["name"] for node in plan["nodes"]]
    return [
        (names[flow["from"]], names[flow["to"]])
        for flow in plan["flows"]
        if flow["name"].startswith(f"{traffic}-")
    ]


def test_traffic_to_a_group_goes_to_every_member_in_their_order(tmp_path: Path) -> None:
    plan = plan_with(tmp_path, '[traffic.news]\napp = "bulk"\nfrom = "server"\nto = "mobile"\n')
    assert pairs_of(plan, "news") == [("server", "phone"), ("server", "laptop-2")]


def test_a_member_of_two_groups_within_a_group_is_there_once(tmp_path: Path) -> None:
    text = '[host.far]\n[wire.x]\nbetween = ["far", "office"]\n'
    ping = '[traffic.poll]\napp = "ping"\nfrom = "far"\nto = "everybody"\n'
    reached = [receiver for _, receiver in pairs_of(plan_with(tmp_path, text + ping), "poll")]
    assert reached == ["phone", "laptop-2", "laptop-1", "server"]


def test_a_loss_to_a_group_is_that_to_each_member(tmp_path: Path) -> None:
    text = '[air.link.wall]\nbetween = ["office", "mobile"]\nloss = "90 dB"\n'
    plan = plan_with(tmp_path, text)
    names = [node["name"] for node in plan["nodes"]]
    from_ap = dict(zip(names, plan["air"]["loss_db"][names.index("office")], strict=True))
    assert from_ap == {"server": 0, "office": 0, "laptop-1": 48, "laptop-2": 90, "phone": 90}


def test_explain_shows_the_members(tmp_path: Path) -> None:
    plan_with(tmp_path, "")
    lines = {line.path: line.value for line in explained(an.load(tmp_path / "crowd.toml"))}
    assert lines["group.mobile.members"] == "phone, laptop-2"


WRONG = {
    "an unknown member": (
        '[group.x]\nmembers = ["phone", "labtop"]',
        'group.x.members[1]: there is no node "labtop"; allowed: server, office, laptop, phone, '
        "mobile, everybody; did you mean laptop?",
    ),
    "no member": (
        "[group.x]\nmembers = []",
        "group.x.members: [] is too short; allowed: at least 1 values",
    ),
    "a group with a node's name": (
        '[group.phone]\nmembers = ["laptop"]',
        'group.phone: "phone" is the name of sta.phone too; allowed: a name that no other node has',
    ),
    "a group with the name of a station of a group": (
        '[group.laptop-1]\nmembers = ["phone"]',
        'group.laptop-1: "laptop-1" is the name of sta.laptop too; allowed: a name that no other '
        "node has",
    ),
    "a member twice": (
        '[group.x]\nmembers = ["phone", "laptop", "phone"]',
        'group.x.members[2]: "phone" stands twice; allowed: each member once',
    ),
    "a circle": (
        '[group.x]\nmembers = ["y"]\n[group.y]\nmembers = ["phone", "x"]',
        'group.y.members[1]: "x" would be a member of itself; allowed: others',
    ),
    "a member that cannot stand there": (
        '[air.link.x]\nbetween = ["office", "everybody"]\nloss = "60 dB"',
        'air.link.x.between: "everybody" holds host.server, which cannot stand here; allowed: '
        "office, laptop, phone, mobile",
    ),
    "a wire to several nodes": (
        '[host.far]\n[group.hosts]\nmembers = ["far", "server"]\n'
        '[wire.x]\nbetween = ["hosts", "office"]',
        'wire.x.between: "hosts" are 2 nodes; allowed: one node',
    ),
    "a station of several access points": (
        '[ap.other]\n[group.bss]\nmembers = ["office", "other"]\n[sta.x]\nap = "bss"',
        'sta.x.ap: "bss" are 2 nodes; allowed: one access point',
    ),
    "traffic within a group": (
        '[traffic.x]\napp = "ping"\nfrom = "phone"\nto = "mobile"',
        'traffic.x: "phone" sends to itself; allowed: two nodes',
    ),
    "TCP to a member without a stack": (
        '[host.far]\n[wire.x]\nbetween = ["far", "office"]\n'
        '[group.ends]\nmembers = ["phone", "far"]\n'
        '[traffic.x]\napp = "bulk"\nfrom = "server"\nto = "ends"',
        "traffic.x.to: host.far has no TCP stack; host.far.stack gives it one; allowed: a node "
        "with a TCP stack",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_group_is_refused(case: str, tmp_path: Path) -> None:
    addition, said = WRONG[case]
    assert refusal_of(tmp_path, f"{CROWD}\n{addition}\n") == f"lab.toml: {said}"
