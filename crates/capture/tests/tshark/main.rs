//! Captures we write, as tshark reads them: no malformed frame, no wrong checksum, and
//! every field as it was meant.
//!
//! tshark is a reader that shares no code with ours, so it also guards against
//! a misreading of a format that our own tests would share. Most of its
//! complaints about checksums are off by default and switched on here.

mod air;
mod conversation;
mod wire;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use capture::pcapng::Writer;

/// A frame that tshark cannot decode, or finds in error; the severity of an
/// expert item is a bit mask, and this is its level "error".
const COMPLAINTS: &str = "_ws.malformed or _ws.expert.severity >= 0x00800000";

/// The fields of each frame that passes `filter`, one row per frame.
fn tshark(file: &Path, filter: &str, fields: &[&str]) -> Vec<Vec<String>> {
    let mut command = Command::new("tshark");
    command
        .arg("-r")
        .arg(file)
        .args(["-Y", filter, "-T", "fields"]);
    for check in [
        "ip.check_checksum",
        "tcp.check_checksum",
        "udp.check_checksum",
    ] {
        command.args(["-o", &format!("{check}:TRUE")]);
    }
    command.args([
        "-o",
        "wlan.check_checksum:TRUE",
        "-o",
        "tcp.relative_sequence_numbers:FALSE",
    ]);
    for field in fields {
        command.args(["-e", field]);
    }
    let output = command.output().expect("tshark is installed");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "tshark failed: {complaint}");
    let rows = String::from_utf8(output.stdout).expect("tshark prints UTF-8");
    rows.lines()
        .map(|row| row.split('\t').map(str::to_owned).collect())
        .collect()
}

fn assert_no_complaints(file: &Path) {
    let found = tshark(file, COMPLAINTS, &["frame.number", "_ws.expert.message"]);
    assert!(found.is_empty(), "tshark complains about {found:?}");
}

#[expect(clippy::disallowed_methods, reason = "tshark reads files")]
fn save(name: &str, file: Writer<Vec<u8>>) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, file.finish().unwrap()).unwrap();
    path
}
