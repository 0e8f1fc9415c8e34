//! Our own scripts, in `tests/scripts`: each shows a clause and has to pass.

use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/scripts")
}

#[test]
fn every_script_passes() {
    let mut wrong = String::new();
    let scripts = script::scripts(folder()).unwrap();
    for path in &scripts {
        let report = script::run_file(path).unwrap();
        if !report.is_passed() {
            wrong += &report.to_string();
        }
    }
    assert!(scripts.len() >= 40, "only {} scripts", scripts.len());
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_script_names_what_it_shows_in_its_first_comment() {
    for path in script::scripts(folder()).unwrap() {
        let text = fs::read_to_string(&path).unwrap();
        let first = text.lines().next().unwrap_or_default();
        let names_source = ["RFC ", "Linux", "Profile ", "packetdrill"]
            .iter()
            .any(|source| first.contains(source));
        assert!(
            first.starts_with("// ") && names_source,
            "{}: {first}",
            path.display()
        );
    }
}
