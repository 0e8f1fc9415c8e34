use proptest::prelude::*;

use phy::Mode;

use super::*;
use crate::frame::tests::long;

const AP: Address = Address(1);
const STATION: Address = Address(2);
const SERVER: FrameAddress = FrameAddress([0x02, 0, 0, 0, 0, 9]);

fn data(from: Address, to: Address) -> Frame {
    Frame {
        duration: 258,
        sequence: 0xabc,
        fragment: 3,
        bytes: 28 + 4,
        body_bytes: 4,
        more_fragments: true,
        retry: true,
        ..Frame::control(FrameKind::Data, from, to, long(Mode::CCK_11))
    }
}

fn bytes_of(frame: &Frame, ends: &MsduAddresses, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    Mpdu::of(frame, ends, body).write(&mut bytes);
    assert_eq!(
        bytes.len(),
        usize::from(frame.bytes),
        "as long as the air says"
    );
    bytes
}

#[test]
fn a_fragment_from_the_access_point_octet_by_octet() {
    let frame = data(AP, STATION);
    let ends = MsduAddresses {
        bssid: AP,
        source: SERVER,
        destination: STATION.into(),
    };
    let bytes = bytes_of(&frame, &ends, &[0xaa, 0xaa, 0x03, 0x00]);
    let expected = [
        &[0x08, 0x0e][..],      // data; from DS, more fragments, retry
        &[0x02, 0x01],          // 258 µs
        &[0x02, 0, 0, 0, 0, 2], // the station
        &[0x02, 0, 0, 0, 0, 1], // the BSSID
        &[0x02, 0, 0, 0, 0, 9], // the server behind the access point
        &[0xc3, 0xab],          // sequence number 0xabc, fragment 3
        &[0xaa, 0xaa, 0x03, 0x00],
    ];
    assert_eq!(bytes[..28], expected.concat());
    let mpdu = Mpdu::parse(&bytes).unwrap();
    assert_eq!(
        (mpdu.source(), mpdu.destination()),
        (Some(SERVER), STATION.into())
    );
    assert_eq!(mpdu.bssid(), Some(AP.into()));
}

/// A station's broadcast goes to the access point first, which sends it to all in its stead.
#[test]
fn a_broadcast_names_its_source_on_both_hops() {
    let ends = MsduAddresses {
        bssid: AP,
        source: STATION.into(),
        destination: FrameAddress::BROADCAST,
    };
    let to_ap = bytes_of(&data(STATION, AP), &ends, &[0; 4]);
    let to_all = bytes_of(&data(AP, Address::BROADCAST), &ends, &[0; 4]);
    let addresses = |bytes: &[u8]| [4, 10, 16].map(|at| bytes[at..at + 6].to_vec());
    let octets = |address: FrameAddress| address.0.to_vec();
    let (ap, station) = (octets(AP.into()), octets(STATION.into()));
    let all = octets(FrameAddress::BROADCAST);
    assert_eq!(
        addresses(&to_ap),
        [ap.clone(), station.clone(), all.clone()]
    );
    assert_eq!(addresses(&to_all), [all, ap, station]);
    for (bytes, to_ds) in [(to_ap, true), (to_all, false)] {
        let mpdu = Mpdu::parse(&bytes).unwrap();
        assert_eq!((mpdu.to_ds, mpdu.from_ds), (to_ds, !to_ds));
        assert_eq!(mpdu.source(), Some(STATION.into()));
        assert_eq!(mpdu.destination(), FrameAddress::BROADCAST);
        assert_eq!(mpdu.bssid(), Some(AP.into()));
    }
}

#[test]
fn a_frame_to_the_access_point_names_who_is_behind_it() {
    let frame = data(STATION, AP);
    let ends = MsduAddresses {
        bssid: AP,
        source: STATION.into(),
        destination: SERVER,
    };
    let bytes = bytes_of(&frame, &ends, &[0; 4]);
    let mpdu = Mpdu::parse(&bytes).unwrap();
    assert!(mpdu.to_ds && !mpdu.from_ds);
    assert_eq!(
        (mpdu.source(), mpdu.destination()),
        (Some(STATION.into()), SERVER)
    );
    assert_eq!(mpdu.bssid(), Some(AP.into()));
}

#[test]
fn what_is_not_understood_is_said() {
    let with_fcs = |content: &[u8]| {
        let mut bytes = content.to_vec();
        bytes.extend_from_slice(&fcs(content).to_le_bytes());
        bytes
    };
    let error = |content: &[u8]| Mpdu::parse(&with_fcs(content)).unwrap_err();
    assert_eq!(
        Mpdu::parse(&[1]),
        Err(DecodeError::Truncated {
            needed: 4,
            found: 1
        })
    );
    assert_eq!(
        error(&[ACK, 0, 0, 0, 1]),
        DecodeError::Truncated {
            needed: 6,
            found: 1
        }
    );
    assert_eq!(error(&[0xd5, 0, 0, 0]), DecodeError::Version(1));
    assert_eq!(
        error(&[0x90, 0, 0, 0]),
        DecodeError::Type {
            kind: 0,
            subtype: 9
        }
    );
    assert_eq!(error(&[DATA, 3, 0, 0]), DecodeError::WirelessBridge);
}

fn any_frame() -> impl Strategy<Value = Frame> {
    let kinds = [
        FrameKind::Data,
        FrameKind::Ack,
        FrameKind::Rts,
        FrameKind::Cts,
        FrameKind::Beacon,
    ];
    let header = (0..kinds.len(), any::<u16>(), any::<u16>(), 0..=32_767_u16);
    let data = (
        0..4096_u16,
        0..16_u8,
        any::<bool>(),
        any::<bool>(),
        0..2305_u16,
    );
    (header, data).prop_map(move |(header, data)| {
        let (kind, from, to, duration) = header;
        let (sequence, fragment, more_fragments, retry, body_bytes) = data;
        let kind = kinds[kind];
        let from = match kind {
            FrameKind::Ack | FrameKind::Cts => Address::UNSAID,
            _ => Address(from),
        };
        let control = Frame {
            duration,
            retry,
            more_fragments,
            ..Frame::control(kind, from, Address(to), long(Mode::CCK_11))
        };
        if !has_third_address(kind) {
            return control;
        }
        Frame {
            sequence,
            fragment,
            bytes: body_bytes + 28,
            body_bytes,
            ..control
        }
    })
}

proptest! {
    #[test]
    fn what_is_written_can_be_read(frame in any_frame(), bssid in any::<u16>()) {
        let body: Vec<u8> = (0..frame.body_bytes).map(|i| i as u8).collect();
        let ends = MsduAddresses::of_hop(Address(bssid), &frame);
        let bytes = bytes_of(&frame, &ends, &body);
        let mpdu = Mpdu::parse(&bytes).unwrap();
        prop_assert_eq!(mpdu, Mpdu::of(&frame, &ends, &body));
        prop_assert_eq!(mpdu.frame(frame.vector), Ok(frame));
    }

    #[test]
    fn no_bytes_make_the_decoder_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = Mpdu::parse(&bytes);
        // With a good FCS and a known type the decoder reads on.
        if let Some(first) = bytes.first_mut() {
            *first = [DATA, ACK, RTS, CTS, BEACON][usize::from(*first) % 5];
        }
        let check = fcs(&bytes).to_le_bytes();
        bytes.extend_from_slice(&check);
        if let Ok(mpdu) = Mpdu::parse(&bytes) {
            let _ = mpdu.frame(long(Mode::DSSS_1));
        }
    }

    #[test]
    fn every_single_bit_error_is_caught(bit in 0..32 * 8_usize) {
        let frame = data(AP, STATION);
        let mut bytes = bytes_of(&frame, &MsduAddresses::of_hop(AP, &frame), &[1, 2, 3, 4]);
        bytes[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(Mpdu::parse(&bytes).is_err());
    }
}
