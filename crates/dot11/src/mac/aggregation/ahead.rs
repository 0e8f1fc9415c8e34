//! Aggregates made before their turn: a driver that makes them itself settles which MSDUs go together
//! as it hands them to its hardware, which has few of them (ath9k, xmit.c: `ATH_AGGR_MIN_QDEPTH`).

use std::collections::VecDeque;

use crate::frame::{Address, DELIMITER_BYTES};
use crate::mac::msdu::Msdu;
use crate::mac::receivers::Agreement;

/// The aggregates of a driver.
#[derive(Clone, Debug)]
pub(super) struct Ahead {
    /// Number that there may be, the one on the air included.
    most: usize,
    made: VecDeque<Made>,
    /// The one that is being made. Once there are enough, it has the MSDU that showed that the one before
    /// was whole.
    open: Option<Made>,
}

/// MSDUs that go together.
#[derive(Clone, Debug)]
struct Made {
    to: Address,
    msdus: Vec<Msdu>,
    bytes: u32,
}

/// Size of an aggregate to a receiver.
#[derive(Clone, Copy, Debug)]
pub(super) struct AggregateSize {
    /// Bytes, at the rate of the last one; nothing before the first.
    pub(super) bytes: u32,
    /// MSDUs.
    pub(super) msdus: usize,
    /// Bytes that an MPDU adds to its body.
    pub(super) overhead: u16,
}

impl AggregateSize {
    /// That of an agreement for MSDUs of one length, an A-MPDU having so many bytes.
    pub(super) fn of(agreement: Agreement, msdu_bytes: u16, bytes: u32) -> AggregateSize {
        let config = agreement.aggregation;
        let in_mpdu = 1 + config.amsdu_bytes / msdu_bytes.max(1);
        AggregateSize {
            bytes,
            msdus: usize::from(config.window) * usize::from(in_mpdu),
            overhead: agreement.overhead,
        }
    }
}

impl Ahead {
    pub(super) fn new(most: u32) -> Ahead {
        Ahead {
            most: most as usize,
            made: VecDeque::new(),
            open: None,
        }
    }

    /// Returns whether another MSDU is wanted beside what is on the air or is no aggregate.
    pub(super) fn wants_more(&self, others: usize) -> bool {
        self.made.len() + others < self.most
    }

    /// Takes an MSDU into the aggregate that is being made; one that is for another receiver, or has no
    /// room there, begins the next.
    pub(super) fn add(&mut self, msdu: Msdu, room: AggregateSize) {
        let adds = u32::from(msdu.bytes + room.overhead) + DELIMITER_BYTES;
        let to = msdu.destination;
        let fits = |open: &Made| {
            open.to == to && open.msdus.len() < room.msdus && open.bytes + adds <= room.bytes
        };
        match self.open.as_mut().filter(|open| fits(open)) {
            Some(open) => {
                open.msdus.push(msdu);
                open.bytes += adds;
            }
            None => {
                let begun = Made {
                    to,
                    msdus: vec![msdu],
                    bytes: adds,
                };
                self.made.extend(self.open.replace(begun));
            }
        }
    }

    /// Nothing more is to be had now: what there is is an aggregate, if another one may be.
    pub(super) fn close(&mut self, others: usize) {
        if self.wants_more(others) {
            self.made.extend(self.open.take());
        }
    }

    /// Returns what goes to a receiver next.
    pub(super) fn next_for(&mut self, to: Address) -> Vec<Msdu> {
        let place = self.made.iter().position(|made| made.to == to);
        let made = match place {
            Some(place) => self.made.remove(place),
            None => self.open.take_if(|open| open.to == to),
        };
        made.map_or(Vec::new(), |made| made.msdus)
    }

    /// Takes out all that is for a receiver.
    pub(super) fn flush(&mut self, to: Address) -> Vec<Msdu> {
        core::iter::from_fn(|| Some(self.next_for(to)).filter(|msdus| !msdus.is_empty()))
            .flatten()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: AggregateSize = AggregateSize {
        bytes: 10_000,
        msdus: 64,
        overhead: 30,
    };

    fn msdu(id: u32, to: u16) -> Msdu {
        Msdu::data(id, Address(to), 1508)
    }

    fn next(ahead: &mut Ahead, to: u16) -> Vec<u32> {
        let msdus = ahead.next_for(Address(to));
        msdus.into_iter().map(|msdu| msdu.id).collect()
    }

    #[test]
    fn an_aggregate_is_whole_when_it_is_full_or_another_receivers_turn_comes() {
        let mut ahead = Ahead::new(3);
        (0..8).for_each(|id| ahead.add(msdu(id, 1), ROOM));
        ahead.add(msdu(8, 2), ROOM);
        assert_eq!(next(&mut ahead, 1), [0, 1, 2, 3, 4, 5], "1542 bytes each");
        assert_eq!(next(&mut ahead, 1), [6, 7]);
        assert_eq!(next(&mut ahead, 2), [8]);
    }

    #[test]
    fn enough_are_made_with_one_on_the_air() {
        let mut ahead = Ahead::new(2);
        ahead.add(msdu(0, 1), ROOM);
        assert!(ahead.wants_more(1), "it may get more yet");
        ahead.close(1);
        assert!(!ahead.wants_more(1) && ahead.wants_more(0));
    }

    #[test]
    fn what_comes_once_there_are_enough_waits_for_others_of_its_kind() {
        let mut ahead = Ahead::new(2);
        ahead.add(msdu(0, 1), ROOM);
        ahead.add(msdu(1, 2), ROOM);
        ahead.close(1);
        assert!(!ahead.wants_more(1));
        assert_eq!(next(&mut ahead, 1), [0]);
        ahead.add(msdu(2, 2), ROOM);
        assert_eq!(next(&mut ahead, 2), [1, 2]);
    }

    #[test]
    fn before_a_rate_is_known_a_packet_goes_alone() {
        let mut ahead = Ahead::new(2);
        let unknown = AggregateSize { bytes: 0, ..ROOM };
        (0..2).for_each(|id| ahead.add(msdu(id, 1), unknown));
        assert_eq!(next(&mut ahead, 1), [0]);
    }

    #[test]
    fn what_is_flushed_is_in_none() {
        let mut ahead = Ahead::new(2);
        for (id, to) in [(0, 1), (1, 2), (2, 1)] {
            ahead.add(msdu(id, to), ROOM);
        }
        let flushed: Vec<u32> = (ahead.flush(Address(1)).iter())
            .map(|msdu| msdu.id)
            .collect();
        assert_eq!(flushed, [0, 2]);
        assert_eq!(next(&mut ahead, 2), [1]);
    }
}
