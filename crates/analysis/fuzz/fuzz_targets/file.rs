//! Any bytes as a capture file: `cargo +nightly fuzz run file` in `crates/analysis`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| anechoic_analysis_fuzz::examine(bytes));
