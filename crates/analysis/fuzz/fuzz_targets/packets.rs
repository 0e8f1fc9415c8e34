//! Any bytes as the packets of a good file.

#![no_main]

use anechoic_analysis_fuzz::{as_packets, examine};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(file) = as_packets(bytes) {
        examine(&file);
    }
});
