//! Any bytes as a capture file: `cargo +nightly fuzz run file` in `crates/capture`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| anechoic_capture_fuzz::examine(bytes));
