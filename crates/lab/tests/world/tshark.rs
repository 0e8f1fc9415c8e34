//! tshark, asked about a file.

use std::path::PathBuf;
use std::process::Command;

/// The lines that tshark prints for a capture file with these arguments.
pub fn tshark(file: &PathBuf, arguments: &[&str]) -> Vec<String> {
    let output = Command::new("tshark")
        .arg("-r")
        .arg(file)
        .args(arguments)
        .output()
        .expect("tshark is installed by `make test`");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(str::to_owned)
        .collect()
}
