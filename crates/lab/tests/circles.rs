//! No circle among the modules of a crate, so that each can be read by itself.
//!
//! A module stands on those that its sources name by `crate::…` or `super::…`, whether by their
//! own names or by what the root of the crate takes over from them. Modules within a module are a
//! part of it, and what is built for tests alone does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates that are kept free of circles.
const WITHOUT_CIRCLES: &[&str] = &[
    "units", "wire", "engine", "phy", "dot11", "tcp", "net", "traffic", "air", "capture", "lab",
    "os", "emulator",
];

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// A file of a module.
struct Source {
    /// The path of the module in its crate; empty for the root.
    module: Vec<String>,
    /// Its lines but for comments and what is built for tests alone.
    code: String,
}

fn root_of(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../{name}/src/lib.rs"))
}

/// A module's file and those of the modules in it.
fn sources(file: &Path, module: &[String]) -> Vec<Source> {
    let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let code = without_tests(&text);
    let folder = match file.file_stem().and_then(|stem| stem.to_str()) {
        Some("lib" | "mod") => file.with_file_name(""),
        _ => file.with_extension(""),
    };
    let mut found = Vec::new();
    for name in modules(&code) {
        let alone = folder.join(format!("{name}.rs"));
        let inner = match alone.exists() {
            true => alone,
            false => folder.join(&name).join("mod.rs"),
        };
        found.extend(sources(&inner, &[module, &[name]].concat()));
    }
    found.push(Source {
        module: module.to_vec(),
        code,
    });
    found
}

/// A source without comments and without what stands below `#[cfg(test)]`, which ends at a brace
/// of the same indentation, as rustfmt has it.
fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let bare = line.trim_start();
        if bare == "#[cfg(test)]" {
            let end = format!("{}}}", &line[..line.len() - bare.len()]);
            let first = lines.find(|line| !line.trim_start().starts_with("#["));
            if first.is_some_and(|line| !line.ends_with([';', ','])) {
                let _rest_of_the_item = lines.find(|line| *line == end);
            }
        } else if !bare.starts_with("//") {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The modules that have files of their own.
fn modules(code: &str) -> Vec<String> {
    let of_line = |line: &str| {
        let (visibility, name) = line.trim().strip_suffix(';')?.split_once("mod ")?;
        (visibility.is_empty() || visibility.starts_with("pub")).then(|| name.to_owned())
    };
    code.lines().filter_map(of_line).collect()
}

/// Returns what follows `prefix` wherever it stands as a word.
fn behind<'a>(code: &'a str, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    code.match_indices(prefix)
        .map(|(at, _)| (&code[..at], &code[at + prefix.len()..]))
        .filter(|(before, _)| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// The paths of a tree such as `a::{b, c::D as E}`, with its new name instead of the last where it
/// has one.
fn paths(tree: &str) -> Vec<Vec<String>> {
    let tree = tree.trim_start();
    if let Some(group) = tree.strip_prefix('{') {
        return branches(group).into_iter().flat_map(paths).collect();
    }
    let end = tree.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    let (name, rest) = tree.split_at(end.unwrap_or(tree.len()));
    if let Some(inner) = rest.strip_prefix("::") {
        let mut all = paths(inner);
        all.iter_mut()
            .for_each(|path| path.insert(0, name.to_owned()));
        return all;
    }
    let renamed = rest.trim_start().strip_prefix("as ").map(str::trim);
    vec![vec![renamed.unwrap_or(name).to_owned()]]
}

/// The parts of a group between braces, of which the first is gone.
fn branches(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                found.push(&group[start..at]);
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

/// For each name that the root takes over from a module, the module.
fn taken_over(root: &Source, modules: &[String]) -> BTreeMap<String, String> {
    let uses = behind(&root.code, "use ").filter_map(|(_, tree)| tree.split_once(';'));
    uses.flat_map(|(tree, _)| paths(tree.trim_start_matches("self::")))
        .filter(|path| modules.contains(&path[0]))
        .filter_map(|path| Some((path.last()?.clone(), path[0].clone())))
        .collect()
}

/// The names at the root of the crate that a source begins its paths with.
fn named_at_the_root(source: &Source) -> BTreeSet<String> {
    let of_crate = behind(&source.code, "crate::").map(|(_, tree)| tree);
    let up = "super::".repeat(source.module.len());
    let of_super = behind(&source.code, &up)
        .filter(|(before, tree)| !before.ends_with("super::") && !tree.starts_with("super::"))
        .map(|(_, tree)| tree);
    let of_super = of_super.filter(|_| !source.module.is_empty());
    let trees = of_crate.chain(of_super);
    trees.flat_map(paths).map(|path| path[0].clone()).collect()
}

/// Returns which modules of a crate stand on which.
fn arrows(root: &Path) -> Arrows {
    let sources = sources(root, &[]);
    let at_the_root = sources.last().expect("the root is the last");
    let modules = modules(&at_the_root.code);
    let taken_over = taken_over(at_the_root, &modules);
    let mut arrows = Arrows::new();
    for source in &sources {
        let Some(module) = source.module.first() else {
            continue;
        };
        let below = arrows.entry(module.clone()).or_default();
        for name in named_at_the_root(source) {
            let other = if modules.contains(&name) {
                Some(&name)
            } else {
                taken_over.get(&name)
            };
            below.extend(other.filter(|other| *other != module).cloned());
        }
    }
    arrows
}

/// All that a module stands on, over however many others.
fn reach<'a>(arrows: &'a Arrows, module: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![module];
    while let Some(from) = open.pop() {
        let below = arrows.get(from).into_iter().flatten();
        open.extend(
            below
                .map(String::as_str)
                .filter(|other| reached.insert(*other)),
        );
    }
    reached
}

/// The arrows that are part of a circle.
fn circles(arrows: &Arrows) -> Vec<String> {
    let all = arrows
        .iter()
        .flat_map(|(from, below)| below.iter().map(move |to| (from, to)));
    all.filter(|(from, to)| reach(arrows, to).contains(from.as_str()))
        .map(|(from, to)| format!("{from} → {to}"))
        .collect()
}

#[test]
fn modules_stand_on_each_other_in_one_direction() {
    for name in WITHOUT_CIRCLES {
        let found = circles(&arrows(&root_of(name)));
        assert!(found.is_empty(), "circles in {name}: {}", found.join(", "));
    }
}

#[test]
fn arrows_are_read_from_the_sources_of_a_crate() {
    let arrows = arrows(&root_of("tcp"));
    assert!(arrows["connection"].contains("congestion"));
    assert!(!arrows["congestion"].contains("connection"));
}

#[test]
fn a_circle_is_found_over_any_number_of_modules() {
    let all = [
        ("a", "b"),
        ("b", "c"),
        ("c", "b"),
        ("c", "d"),
        ("d", "a"),
        ("a", "e"),
    ];
    let mut arrows = Arrows::new();
    for (from, to) in all {
        arrows
            .entry(from.to_owned())
            .or_default()
            .insert(to.to_owned());
    }
    assert_eq!(
        circles(&arrows),
        ["a → b", "b → c", "c → b", "c → d", "d → a"]
    );
    arrows.remove("d");
    assert_eq!(circles(&arrows), ["b → c", "c → b"]);
}

#[test]
fn a_module_is_named_from_wherever_it_stands() {
    let names = |module: &[&str], code: &str| {
        let source = Source {
            module: module.iter().map(|&name| name.to_owned()).collect(),
            code: without_tests(code),
        };
        named_at_the_root(&source).into_iter().collect::<Vec<_>>()
    };
    let code = "
use crate::{queue::Queue, wire::{self, Link}};
use super::frame;
use super::super::timing::Slot;
// use crate::comment;
fn wait() -> crate::clock::Time {}

#[cfg(test)]
mod tests {
    use crate::plans;
    use crate::worlds;
}

fn told() -> crate::told::Told {}
";
    assert_eq!(
        names(&["mac"], code),
        ["clock", "frame", "queue", "told", "wire"]
    );
    assert_eq!(
        names(&["mac", "retry"], code),
        ["clock", "queue", "timing", "told", "wire"]
    );
}

#[test]
fn what_the_root_takes_over_is_its_modules() {
    let root = Source {
        module: Vec::new(),
        code: "pub use link::{Link, state::State as LinkState};\npub use units::Time;".to_owned(),
    };
    let taken_over = taken_over(&root, &["link".to_owned()]);
    let names: Vec<&str> = taken_over.keys().map(String::as_str).collect();
    assert_eq!(names, ["Link", "LinkState"]);
}
