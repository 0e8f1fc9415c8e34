//! Any bytes as a capture file: `cargo +nightly fuzz run file` in `crates/capture`.

#![no_main]

use capture::analysis::{Limits, analyse};
use capture::read::Reader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mut reader) = Reader::new(bytes) {
        let analysis = analyse(&mut reader, Limits { connections: 64 });
        assert!(analysis.connections.len() as u64 <= analysis.tally.tcp);
    }
});
