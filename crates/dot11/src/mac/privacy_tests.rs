//! What encryption adds to MPDUs.

use units::{Duration, Time};

use super::harness::Channel;
use super::tests::config;
use super::{MacConfig, Privacy};
use crate::frame::FrameKind;

/// The lengths of the MPDUs that carry a full TCP segment.
fn mpdus(privacy: Privacy, fragmentation_threshold: u16) -> Vec<u16> {
    let config = MacConfig {
        privacy,
        fragmentation_threshold,
        ..config()
    };
    let mut channel = Channel::new(2, &config);
    channel.enqueue(0, 0, 1, 1508);
    channel.run(Time::ZERO + Duration::from_millis(50));
    assert_eq!(channel.stations[1].deliveries.len(), 1);
    let data = channel.sent.iter().map(|sent| sent.frame);
    let data = data.filter(|frame| frame.kind == FrameKind::Data);
    data.map(|frame| frame.bytes).collect()
}

#[test]
fn wep_adds_8_bytes_and_ccmp_16() {
    assert_eq!(mpdus(Privacy::None, 2346), [1536]);
    assert_eq!(mpdus(Privacy::Wep, 2346), [1544]);
    assert_eq!(mpdus(Privacy::Ccmp, 2346), [1552]);
}

#[test]
fn tkip_adds_12_bytes_to_each_fragment_and_8_to_the_last() {
    assert_eq!(mpdus(Privacy::Tkip, 2346), [1556]);
    assert_eq!(mpdus(Privacy::Tkip, 1024), [1036, 560]);
}

#[test]
fn fragments_are_cut_before_they_are_encrypted() {
    // IEEE 802.11-2007 §9.4: they may be longer than the threshold for that.
    assert_eq!(mpdus(Privacy::Wep, 512), [520, 520, 520, 92]);
}
