//! The last packets, by a digest of what they share with those that are looked for among them.

use super::ELSEWHERE_NS;

/// Time and place of a packet's capture.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub time_ns: u64,
    /// The place, and the time to live.
    pub place: u64,
}

impl Seen {
    /// Returns whether one that is seen `now` may be the same, on its way through the host that
    /// captures.
    #[inline]
    pub fn is_elsewhere(self, now: Seen) -> bool {
        self.place != now.place && now.time_ns.abs_diff(self.time_ns) < ELSEWHERE_NS
    }
}

/// The last packets, in sets of those whose digests have some bits in common, and of each what
/// else is to be known.
#[derive(Debug)]
pub(super) struct PacketMemory<T>(Vec<Set<T>>);

/// Packets in a set.
const WAYS: usize = 4;

/// Some packets, of which the newest takes the place of the oldest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Set<T> {
    /// Digests of everything that is shared; 0 of nothing.
    digests: [u64; WAYS],
    oldest: u8,
    seen: [Seen; WAYS],
    more: [T; WAYS],
}

impl<T: Copy + Default> PacketMemory<T> {
    /// One for some packets; their number is a power of two.
    pub fn of(packets: usize) -> Self {
        PacketMemory(vec![Set::default(); packets / WAYS])
    }

    /// The set of a digest.
    #[inline]
    pub fn set(&mut self, digest: u64) -> &mut Set<T> {
        let set = (digest >> 32) as usize & (self.0.len() - 1);
        &mut self.0[set]
    }

    /// Packets that may be remembered.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len() * WAYS
    }

    /// Replaces the oldest packet of a set by this one. If copies may come of that one, room is
    /// made first, for `most` at most.
    #[inline]
    pub fn enter(&mut self, digest: u64, now: Seen, more: T, most: usize) {
        if self.len() < most && self.set(digest).is_of_use(now) {
            self.make_room(digest, now, most);
        }
        self.set(digest).enter(digest, now, more);
    }

    /// Grows to `most` at most, until a packet takes the place of none that is of use.
    #[cold]
    fn make_room(&mut self, digest: u64, now: Seen, most: usize) {
        while self.len() < most && self.set(digest).is_of_use(now) {
            self.grow();
        }
    }

    /// Makes room for twice as many: each set becomes two.
    fn grow(&mut self) {
        let mut larger = PacketMemory::of(2 * self.len());
        for set in &self.0 {
            for age in 0..WAYS {
                let way = (usize::from(set.oldest) + age) % WAYS;
                let digest = set.digests[way];
                if digest != 0 {
                    larger
                        .set(digest)
                        .enter(digest, set.seen[way], set.more[way]);
                }
            }
        }
        *self = larger;
    }
}

impl<T: Copy> Set<T> {
    /// Returns when and where what has this digest was captured. All are looked at, as the answer
    /// is nearly always no.
    #[inline]
    pub fn find(&mut self, digest: u64) -> Option<&mut Seen> {
        let is_known = (self.digests.iter()).fold(false, |is, &other| is | (other == digest));
        if !is_known {
            return None;
        }
        let way = self.digests.iter().position(|&other| other == digest)?;
        Some(&mut self.seen[way])
    }

    /// Returns when and where all that have this digest were captured, and what else is known of
    /// them.
    pub fn all(&self, digest: u64) -> impl Iterator<Item = (Seen, &T)> {
        let ways = (0..WAYS).filter(move |&way| self.digests[way] == digest);
        ways.map(|way| (self.seen[way], &self.more[way]))
    }

    /// Returns whether copies may come of the oldest.
    #[inline]
    fn is_of_use(&self, now: Seen) -> bool {
        let way = usize::from(self.oldest) % WAYS;
        let age_ns = now.time_ns.saturating_sub(self.seen[way].time_ns);
        self.digests[way] != 0 && age_ns < ELSEWHERE_NS
    }

    /// Replaces the oldest packet.
    #[inline]
    pub fn enter(&mut self, digest: u64, now: Seen, more: T) {
        let way = usize::from(self.oldest) % WAYS;
        self.digests[way] = digest;
        self.seen[way] = now;
        self.more[way] = more;
        self.oldest = (way + 1) as u8;
    }
}
