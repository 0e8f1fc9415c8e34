//! The arrows of the house, read from the manifests, and the rules that keep them.
//!
//! A crate may stand on those its line in [`HOUSE`] names and on no other of
//! ours. Its tests and examples may use what [`TESTED_WITH`] says besides, and
//! nothing else, since each crate is to be built and tested alone.
//! `docs/architecture.md` shows the drawing that this test makes of the arrows
//! there are.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// Which of our crates each of them may stand on, from the ground upwards.
const HOUSE: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("wire", &["units"]),
    ("engine", &["units"]),
    ("phy", &["units"]),
    ("link", &["phy"]),
    ("dot11", &["units", "phy"]),
    ("tcp", &["units"]),
    ("net", &["units", "wire"]),
    ("traffic", &["units"]),
    ("capture", &["units", "phy", "wire"]),
    ("dissect", &["units", "phy"]),
    ("analysis", &["units", "dissect"]),
    ("pair", &["units", "dissect"]),
    ("air", &["units", "phy", "dot11"]),
    (
        "lab",
        &[
            "units", "wire", "engine", "phy", "dot11", "tcp", "net", "traffic", "capture", "air",
        ],
    ),
    ("script", &["units", "tcp"]),
    ("os", &[]),
    ("kernel", &["units", "tcp", "script", "os"]),
    ("emulator", &["units", "wire", "lab", "os"]),
    ("endpoint", &["units", "traffic", "os"]),
    (
        "python",
        &[
            "units", "lab", "script", "kernel", "os", "emulator", "endpoint", "dissect",
            "analysis", "pair",
        ],
    ),
];

/// Which of our crates the tests and examples of a crate may use besides, and why.
const TESTED_WITH: &[(&str, &[&str], &str)] = &[
    ("dissect", &["capture"], "reads packets that are written"),
    ("analysis", &["capture"], "reads packets that are written"),
    ("pair", &["capture"], "reads packets that are written"),
    (
        "lab",
        &["dissect", "analysis", "pair"],
        "what taps wrote is told by whoever knows nothing of the simulation",
    ),
];

/// The crates that may touch clocks, files and threads. Only they have a
/// `clippy.toml` of their own; the workspace's strict one holds for the others.
const OUTWARD: &[&str] = &[
    "link", "dissect", "analysis", "pair", "lab", "script", "kernel", "os", "emulator", "endpoint",
    "python",
];

/// What the workspace's `clippy.toml` must keep out of the protocols, at the least.
const BANNED: &[&str] = &[
    "std::collections::HashMap",
    "std::collections::HashSet",
    "std::env::var",
    "std::fs::File",
    "std::fs::read_to_string",
    "std::thread::spawn",
    "std::time::Instant",
    "std::time::SystemTime",
];

type Arrows = BTreeMap<String, BTreeSet<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read_toml(path: &Path) -> Table {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.parse()
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The folders of `crates/` that hold a crate.
fn crates() -> Vec<String> {
    let folders = fs::read_dir(root().join("crates")).unwrap();
    let mut names: Vec<String> = folders
        .map(|folder| folder.unwrap())
        .filter(|folder| folder.path().join("Cargo.toml").exists())
        .map(|folder| folder.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The sections of a manifest that name what a crate stands on, and those of its tests.
const BUILT_WITH: &[&str] = &["dependencies", "build-dependencies"];
const TESTS: &[&str] = &["dev-dependencies"];

/// Returns which of `ours` a manifest depends on in `sections`, of the whole or of a target.
fn dependencies(manifest: &Table, sections: &[&str], ours: &[String]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (key, value) in manifest {
        match (key.as_str(), value) {
            ("target", Value::Table(targets)) => {
                for target in targets.values().filter_map(Value::as_table) {
                    found.extend(dependencies(target, sections, ours));
                }
            }
            (section, Value::Table(table)) if sections.contains(&section) => {
                found.extend(table.iter().filter_map(|entry| our_name(entry, ours)));
            }
            _ => {}
        }
    }
    found
}

/// The crate of ours that a dependency names, by its key, its package or its path.
fn our_name((key, value): (&String, &Value), ours: &[String]) -> Option<String> {
    let of = |field: &str| value.get(field).and_then(Value::as_str);
    let folder = of("path").and_then(|path| path.rsplit('/').next());
    let package = of("package").unwrap_or(key).trim_start_matches("anechoic-");
    [folder, Some(package)]
        .into_iter()
        .flatten()
        .find(|name| ours.iter().any(|crate_name| crate_name == name))
        .map(str::to_owned)
}

fn arrows(sections: &[&str]) -> Arrows {
    let ours = crates();
    let of = |name: &String| {
        let manifest = read_toml(&root().join("crates").join(name).join("Cargo.toml"));
        let mut below = dependencies(&manifest, sections, &ours);
        below.remove(name);
        (name.clone(), below)
    };
    ours.iter().map(of).collect()
}

/// Returns what a crate may stand on; none if it has no place in the house.
fn allowed(name: &str) -> Option<&'static [&'static str]> {
    let (_, allowed) = HOUSE.iter().find(|(known, _)| *known == name)?;
    Some(allowed)
}

/// Returns what is wrong with the arrows, one sentence each.
fn turned(arrows: &Arrows) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, below) in arrows {
        let Some(allowed) = allowed(name) else {
            wrong.push(format!(
                "{name} has no place in the house: give it one in HOUSE"
            ));
            continue;
        };
        let others = below
            .iter()
            .filter(|other| !allowed.contains(&other.as_str()));
        wrong.extend(others.map(|other| format!("{name} must not stand on {other}")));
    }
    wrong
}

/// Returns what is wrong with the arrows of tests, one sentence each.
fn turned_in_tests(arrows: &Arrows) -> Vec<String> {
    let may = |name: &str, other: &str| {
        allowed(name).is_some_and(|allowed| allowed.contains(&other))
            || (TESTED_WITH.iter()).any(|(known, with, _)| *known == name && with.contains(&other))
    };
    let all = arrows
        .iter()
        .flat_map(|(name, below)| below.iter().map(move |other| (name, other)));
    all.filter(|(name, other)| !may(name, other))
        .map(|(name, other)| format!("the tests of {name} must not use {other}"))
        .collect()
}

/// The house from the roof down, each crate with what it stands on.
fn drawing(arrows: &Arrows) -> String {
    let mut text = String::new();
    for (name, _) in HOUSE.iter().rev() {
        let Some(below) = arrows.get(*name) else {
            continue;
        };
        let order = |other: &String| HOUSE.iter().position(|(known, _)| known == other);
        let mut below: Vec<&String> = below.iter().collect();
        below.sort_by_key(|other| std::cmp::Reverse(order(other)));
        let names: Vec<&str> = below.into_iter().map(String::as_str).collect();
        if names.is_empty() {
            writeln!(text, "{name}").unwrap();
        } else {
            writeln!(text, "{name:<8} ──► {}", names.join(" · ")).unwrap();
        }
    }
    text
}

fn arrow(from: &str, to: &str) -> Arrows {
    [(from.to_owned(), [to.to_owned()].into())].into()
}

#[test]
fn every_arrow_points_down() {
    let arrows = arrows(BUILT_WITH);
    println!("{}", drawing(&arrows));
    assert_eq!(turned(&arrows), [""; 0]);
}

#[test]
fn tests_use_what_is_theirs_to_use() {
    assert_eq!(turned_in_tests(&arrows(TESTS)), [""; 0]);
}

#[test]
fn an_arrow_between_protocols_is_found() {
    assert_eq!(turned(&arrow("tcp", "net")), ["tcp must not stand on net"]);
    assert_eq!(
        turned(&arrow("units", "engine")),
        ["units must not stand on engine"]
    );
    assert_eq!(turned(&arrow("air", "dot11")), [""; 0]);
    assert!(turned(&arrow("shed", "units"))[0].contains("no place"));
}

#[test]
fn a_simulator_that_builds_an_analyser_is_found() {
    assert_eq!(
        turned(&arrow("lab", "analysis")),
        ["lab must not stand on analysis"]
    );
    assert_eq!(turned_in_tests(&arrow("lab", "analysis")), [""; 0]);
    assert_eq!(
        turned_in_tests(&arrow("tcp", "net")),
        ["the tests of tcp must not use net"]
    );
}

#[test]
fn a_dependency_is_found_in_any_section_and_under_any_name() {
    let ours = ["net", "tcp", "air"].map(str::to_owned);
    let manifest = "
        [dependencies]
        serde = '1'
        net.workspace = true
        [target.'cfg(unix)'.dev-dependencies]
        other = { package = 'anechoic-tcp', version = '0.1' }
        [build-dependencies]
        wind = { path = '../air' }
    ";
    let found = |sections| dependencies(&manifest.parse().unwrap(), sections, &ours);
    assert_eq!(found(BUILT_WITH), ["air", "net"].map(str::to_owned).into());
    assert_eq!(found(TESTS), ["tcp"].map(str::to_owned).into());
}

#[test]
fn the_architecture_page_shows_the_arrows_there_are() {
    let page = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let drawing = drawing(&arrows(BUILT_WITH));
    assert!(
        page.contains(&drawing),
        "docs/architecture.md should show\n\n{drawing}"
    );
}

#[test]
fn clocks_files_threads_and_hash_order_are_kept_out_of_the_protocols() {
    let lints = read_toml(&root().join("clippy.toml"));
    let listed = |key: &str| lints[key].as_array().unwrap().clone();
    let entries = [listed("disallowed-types"), listed("disallowed-methods")].concat();
    let paths: Vec<&str> = entries
        .iter()
        .filter_map(|entry| entry.get("path")?.as_str())
        .collect();
    for banned in BANNED {
        assert!(
            paths.contains(banned),
            "clippy.toml no longer keeps {banned} out"
        );
    }
    for name in crates() {
        let own = root()
            .join("crates")
            .join(&name)
            .join("clippy.toml")
            .exists();
        assert!(
            !own || OUTWARD.contains(&name.as_str()),
            "{name} replaces the workspace's lints by its own"
        );
    }
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    for name in crates() {
        let manifest = read_toml(&root().join("crates").join(&name).join("Cargo.toml"));
        let inherits = manifest
            .get("lints")
            .and_then(|lints| lints.get("workspace"));
        assert_eq!(inherits, Some(&Value::Boolean(true)), "{name}");
    }
}

#[test]
fn the_python_package_has_the_version_of_the_crates() {
    let workspace = read_toml(&root().join("Cargo.toml"));
    let project = read_toml(&root().join("pyproject.toml"));
    assert_eq!(
        workspace["workspace"]["package"]["version"],
        project["project"]["version"]
    );
}
