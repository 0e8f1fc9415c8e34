//! Any bytes as packets of a good file, so that headers and analysis are reached at once. The
//! input begins with the link type; each packet has its length in front.

#![no_main]

use capture::analysis::{Limits, analyse};
use capture::read::Reader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&[link, _], mut rest)) = bytes.split_first_chunk::<2>() else { return };
    let mut file = Vec::new();
    for word in [0xA1B2_3C4D_u32, 0x0004_0002, 0, 0, 65_535, link.into()] {
        file.extend(word.to_le_bytes());
    }
    while let Some((&length, behind)) = rest.split_first() {
        let kept = usize::from(length).min(behind.len());
        let (packet, behind) = behind.split_at(kept);
        for word in [0, u32::from(length) * 1000, kept as u32, u32::from(length)] {
            file.extend(word.to_le_bytes());
        }
        file.extend_from_slice(packet);
        rest = behind;
    }
    let mut reader = Reader::new(&file[..]).expect("a good header");
    let analysis = analyse(&mut reader, Limits { connections: 64 });
    assert!(analysis.warnings.is_empty());
});
