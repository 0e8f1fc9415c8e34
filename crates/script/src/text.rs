//! The text of a script from the bytes of its file, and files that are something else.

use std::borrow::Cow;

use crate::refusal::{Refusal, malformed};

/// First bytes of captures: pcap by the byte order and the unit of its times, pcapng
/// (draft-ietf-opsawg-pcap §4, draft-ietf-opsawg-pcapng §4.1).
const CAPTURES: [&[u8]; 5] = [
    b"\xD4\xC3\xB2\xA1",
    b"\xA1\xB2\xC3\xD4",
    b"\x4D\x3C\xB2\xA1",
    b"\xA1\xB2\x3C\x4D",
    b"\n\r\r\n",
];

/// The text; bytes that are no UTF-8, as in comments of another code, do no harm.
pub(crate) fn text(bytes: &[u8]) -> Result<Cow<'_, str>, Refusal> {
    if CAPTURES.iter().any(|magic| bytes.starts_with(magic)) {
        let what = "this is a capture, not a script; `anechoic analyse` tells what is in it";
        return malformed(1, what);
    }
    if bytes.contains(&0) {
        return malformed(1, "this is no text, so it is no script");
    }
    Ok(String::from_utf8_lossy(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_and_a_program_are_told_from_a_script() {
        let reason = |bytes| text(bytes).unwrap_err().reason;
        assert!(reason(b"\n\r\r\n\x1C\0\0\0").contains("anechoic analyse"));
        assert!(reason(b"\xD4\xC3\xB2\xA1\x02\0\x04\0").contains("a capture"));
        assert!(reason(b"\x7FELF\x02\x01\x01\0").contains("no text"));
        let latin = text(b"// \xE9crit \xE0 la main\n").unwrap();
        assert_eq!(latin, "// \u{FFFD}crit \u{FFFD} la main\n");
    }
}
