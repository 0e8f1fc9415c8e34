//! Analyses as JSON documents that every reader can hold.

use std::io;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

/// Writes whole numbers as 64 signed bits hold them, which is what Arrow's and Parquet's columns
/// have: a sum of times of a capture that says it took centuries is told as the largest.
struct Signed;

impl Formatter for Signed {
    fn write_u64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: u64) -> io::Result<()> {
        CompactFormatter.write_u64(writer, value.min(i64::MAX as u64))
    }
}

/// The document of an analysis.
pub(crate) fn json(analysis: &impl Serialize) -> serde_json::Result<String> {
    let mut text = Vec::new();
    analysis.serialize(&mut Serializer::with_formatter(&mut text, Signed))?;
    Ok(String::from_utf8(text).expect("JSON is UTF-8"))
}
