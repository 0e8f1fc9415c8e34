//! Any bytes as two captures of one path: of one traffic, of which either point misses some.

#![no_main]

use anechoic_pair_fuzz::{as_two_captures, compare_both};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| compare_both(as_two_captures(bytes)));
