//! Headers read, packets cut.

use proptest::prelude::*;

use super::*;

/// A packet of `payload` bytes behind a header with these options.
fn packet(options: &[u8], payload: usize) -> Vec<u8> {
    let header_len = HEADER + options.len();
    let mut bytes = vec![
        0x40 | (header_len / 4) as u8,
        0xB9,
        0,
        0,
        0,
        99,
        0,
        0,
        63,
        17,
        0,
        0,
    ];
    bytes.extend([192, 168, 1, 1, 192, 168, 1, 2]);
    bytes.extend(options);
    bytes[TOTAL_LENGTH..][..2].copy_from_slice(&((header_len + payload) as u16).to_be_bytes());
    sum_anew(&mut bytes);
    bytes.extend((0..payload).map(|at| at as u8));
    bytes
}

#[test]
fn what_stands_there_is_read() {
    let expected = Ipv4 {
        source: Ipv4Addr::new(192, 168, 1, 1),
        destination: Ipv4Addr::new(192, 168, 1, 2),
        protocol: 17,
        ttl: 63,
        service: 0xB9,
        identification: 99,
        dont_fragment: false,
        more_fragments: false,
        fragment_offset: 0,
        header_len: 24,
        total_len: 124,
    };
    let mut bytes = packet(&[1; 4], 100);
    bytes.extend([0; 18]);
    assert_eq!(Ipv4::read(&bytes), Ok(expected), "padding is no part of it");
}

#[test]
fn each_defect_has_its_own_error() {
    let whole = packet(&[], 108);
    let broken = |at: usize, value: u8| {
        let mut bytes = whole.clone();
        bytes[at] = value;
        Ipv4::read(&bytes).unwrap_err()
    };
    let truncated = |needed, found| Err(Defect::Truncated { needed, found });
    assert_eq!(Ipv4::read(&[]), truncated(20, 0));
    assert_eq!(Ipv4::read(&whole[..127]), truncated(128, 127));
    assert_eq!(broken(0, 0x65), Defect::Version(6));
    assert_eq!(broken(0, 0x44), Defect::HeaderLength(4));
    assert_eq!(broken(3, 19), Defect::TotalLength(19));
    assert_eq!(broken(8, 62), Defect::Checksum);
}

proptest! {
    /// What the fragments carry, put together by their offsets, is what was cut; of the options the
    /// later ones have those with the copied flag.
    #[test]
    fn fragments_make_up_the_packet(payload in 0usize..3000, mtu in 68u16..1500, cut_again: bool) {
        let record_route_and_security = [7, 4, 4, 0, 0x82, 3, 1, 0];
        let whole = packet(&record_route_and_security, payload);
        let mut fragments = Vec::new();
        let mut buffer = Vec::new();
        cut(&whole, mtu, &mut buffer, |fragment| fragments.push(fragment.to_vec()));
        if cut_again {
            let first = std::mem::take(&mut fragments);
            for fragment in first {
                cut(&fragment, 68, &mut buffer, |piece| fragments.push(piece.to_vec()));
            }
        }
        let mut joined = Vec::new();
        for (number, fragment) in fragments.iter().enumerate() {
            let ip = Ipv4::read(fragment).expect("a sound packet");
            prop_assert!(ip.total_len <= mtu);
            prop_assert_eq!(usize::from(ip.fragment_offset), joined.len());
            prop_assert_eq!(ip.more_fragments, number + 1 < fragments.len());
            prop_assert_eq!(ip.header_len, if number == 0 { 28 } else { 24 });
            joined.extend_from_slice(&fragment[ip.header_len.into()..]);
        }
        prop_assert_eq!(&joined[..], &whole[28..]);
    }
}
