//! Reception per transmitter: duplicates and reassembly (IEEE 802.11-2007 §9.2.9, §9.5).

use crate::frame::{Address, Frame};

/// What a data frame means to the station it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataArrival {
    /// It completes an MSDU.
    Complete,
    /// A fragment; more are to come.
    Partial,
    /// Seen before: our ACK was lost.
    Duplicate,
    /// A fragment whose predecessor never came.
    Orphan,
}

/// What a station remembers of one transmitter, as sequence controls.
///
/// One entry is all the standard asks for, and all that fragments sent one at a time, each
/// acknowledged before the next, can need.
#[derive(Clone, Copy, Debug, Default)]
struct TransmitterMemory {
    last: Option<u16>,
    expected_fragment: Option<u16>,
}

/// A table of transmitters by address; it grows when a new one is heard and never after.
#[derive(Clone, Debug, Default)]
pub(super) struct Peers(Vec<TransmitterMemory>);

impl Peers {
    /// Judges a correct data frame that is for this station.
    #[inline]
    pub(super) fn judge(&mut self, frame: &Frame) -> DataArrival {
        let peer = self.peer(frame.transmitter);
        let control = frame.sequence_control();
        if frame.retry && peer.last == Some(control) {
            return DataArrival::Duplicate;
        }
        peer.last = Some(control);
        if frame.fragment > 0 && peer.expected_fragment != Some(control) {
            peer.expected_fragment = None;
            return DataArrival::Orphan;
        }
        peer.expected_fragment = frame.more_fragments.then_some(control.wrapping_add(1));
        if frame.more_fragments {
            DataArrival::Partial
        } else {
            DataArrival::Complete
        }
    }

    fn peer(&mut self, address: Address) -> &mut TransmitterMemory {
        let index = usize::from(address.0);
        if index >= self.0.len() {
            self.0.resize(index + 1, TransmitterMemory::default());
        }
        &mut self.0[index]
    }
}

#[cfg(test)]
mod tests {
    use phy::Mode;

    use super::*;
    use crate::frame::FrameKind;
    use crate::frame::tests::long;

    fn frame(sequence: u16, fragment: u8, more_fragments: bool, retry: bool) -> Frame {
        Frame {
            sequence,
            fragment,
            more_fragments,
            retry,
            ..Frame::control(FrameKind::Data, Address(3), Address(1), long(Mode::CCK_11))
        }
    }

    #[test]
    fn a_retry_of_the_last_frame_is_a_duplicate() {
        let mut peers = Peers::default();
        assert_eq!(
            peers.judge(&frame(7, 0, false, false)),
            DataArrival::Complete
        );
        assert_eq!(
            peers.judge(&frame(7, 0, false, true)),
            DataArrival::Duplicate
        );
        assert_eq!(
            peers.judge(&frame(8, 0, false, true)),
            DataArrival::Complete
        );
    }

    #[test]
    fn the_same_number_without_the_retry_bit_is_a_new_frame() {
        let mut peers = Peers::default();
        assert_eq!(
            peers.judge(&frame(7, 0, false, false)),
            DataArrival::Complete
        );
        assert_eq!(
            peers.judge(&frame(7, 0, false, false)),
            DataArrival::Complete
        );
    }

    #[test]
    fn transmitters_do_not_share_a_memory() {
        let mut peers = Peers::default();
        let other = Frame {
            transmitter: Address(4),
            ..frame(7, 0, false, true)
        };
        assert_eq!(
            peers.judge(&frame(7, 0, false, false)),
            DataArrival::Complete
        );
        assert_eq!(peers.judge(&other), DataArrival::Complete);
    }

    #[test]
    fn fragments_make_an_msdu_only_together() {
        let mut peers = Peers::default();
        assert_eq!(peers.judge(&frame(9, 0, true, false)), DataArrival::Partial);
        assert_eq!(
            peers.judge(&frame(9, 0, true, true)),
            DataArrival::Duplicate
        );
        assert_eq!(peers.judge(&frame(9, 1, true, false)), DataArrival::Partial);
        assert_eq!(
            peers.judge(&frame(9, 2, false, false)),
            DataArrival::Complete
        );

        assert_eq!(
            peers.judge(&frame(10, 0, true, false)),
            DataArrival::Partial
        );
        assert_eq!(
            peers.judge(&frame(10, 2, false, false)),
            DataArrival::Orphan
        );
        assert_eq!(
            peers.judge(&frame(11, 1, false, false)),
            DataArrival::Orphan
        );
    }
}
