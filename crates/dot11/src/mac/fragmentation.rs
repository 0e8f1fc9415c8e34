//! Cutting MSDUs into fragments (IEEE 802.11-2007 §9.4).

use crate::frame::{DATA_HEADER_BYTES, FCS_BYTES};

/// What every MPDU of a data frame adds to its body.
pub(super) const MPDU_OVERHEAD: u16 = DATA_HEADER_BYTES + FCS_BYTES;

/// The body of every fragment but the last, as cut by a threshold on the whole MPDU: what fits,
/// rounded down to an even number of bytes as the standard wants it.
pub(super) const fn fragment_body(threshold: u16) -> u16 {
    (threshold - MPDU_OVERHEAD) & !1
}

/// A fragment of an MSDU: where it begins, how long it is, which one it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fragment {
    pub(super) number: u8,
    pub(super) offset: u16,
    pub(super) bytes: u16,
}

/// How a station cuts: the threshold and what follows from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragmentation {
    threshold: u16,
    body: u16,
}

impl Fragmentation {
    pub(super) const fn new(threshold: u16) -> Fragmentation {
        Fragmentation {
            threshold,
            body: fragment_body(threshold),
        }
    }

    /// The first fragment of an MSDU, which is the whole of it when its MPDU is not *longer than*
    /// the threshold.
    #[inline]
    pub(super) fn first(self, msdu_bytes: u16) -> Fragment {
        let whole = msdu_bytes.saturating_add(MPDU_OVERHEAD) <= self.threshold;
        let bytes = if whole { msdu_bytes } else { self.body };
        Fragment {
            number: 0,
            offset: 0,
            bytes,
        }
    }

    /// The fragment after `fragment`; `None` after the last.
    #[inline]
    pub(super) fn next(self, fragment: Fragment, msdu_bytes: u16) -> Option<Fragment> {
        let offset = fragment.offset + fragment.bytes;
        let rest = msdu_bytes - offset;
        (rest > 0).then(|| Fragment {
            number: fragment.number + 1,
            offset,
            bytes: rest.min(self.body),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mpdus(threshold: u16, msdu_bytes: u16) -> Vec<u16> {
        let fragmentation = Fragmentation::new(threshold);
        let first = fragmentation.first(msdu_bytes);
        core::iter::successors(Some(first), |&f| fragmentation.next(f, msdu_bytes))
            .map(|fragment| fragment.bytes + MPDU_OVERHEAD)
            .collect()
    }

    #[test]
    fn a_full_tcp_segment_is_cut_as_the_thesis_counts() {
        // 1460 bytes + TCP/IP 40 + LLC/SNAP 8; the number of MPDUs and the length of the last.
        let expected = [
            (256, 7, 168),
            (512, 4, 84),
            (768, 3, 56),
            (1024, 2, 540),
            (1280, 2, 284),
            (1536, 1, 1536),
        ];
        for (threshold, count, last) in expected {
            let mpdus = mpdus(threshold, 1508);
            assert_eq!(
                (mpdus.len(), *mpdus.last().unwrap()),
                (count, last),
                "{threshold}"
            );
            assert!(mpdus[..count - 1].iter().all(|&bytes| bytes == threshold));
        }
    }

    #[test]
    fn only_a_frame_longer_than_the_threshold_is_cut() {
        assert_eq!(mpdus(1536, 1508), [1536]);
        assert_eq!(
            mpdus(1535, 1508),
            [1534, 30],
            "bodies are even but for the last"
        );
        assert_eq!(mpdus(2346, 1508), [1536]);
    }

    #[test]
    fn every_threshold_keeps_every_byte_and_even_bodies() {
        for threshold in 256..=2346 {
            for msdu in [1, 84, 576, 1508, 2304] {
                let mpdus = mpdus(threshold, msdu);
                let bodies: Vec<u16> = mpdus.iter().map(|bytes| bytes - MPDU_OVERHEAD).collect();
                assert_eq!(bodies.iter().sum::<u16>(), msdu);
                assert!(mpdus.iter().all(|&bytes| bytes <= threshold));
                assert!(bodies[..bodies.len() - 1].iter().all(|body| body % 2 == 0));
                assert!(mpdus.len() <= 16, "the fragment number has four bits");
            }
        }
    }
}
