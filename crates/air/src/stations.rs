//! What the medium asks of the stations behind its radios, and tells them.

use dot11::{Contention, Decoded, Draw, Frame};
use units::Time;

/// Where draws for receptions come from: one stream per radio, so that none shifts another's.
pub trait ReceptionRandom {
    /// A uniform number in `[0, 1)`.
    fn unit(&mut self) -> f64;
}

/// Draws of which the first two, which is as many as a reception takes, can be taken again.
pub(crate) struct Rewindable<'a, L> {
    random: &'a mut L,
    drawn: [f64; 2],
    kept: usize,
    taken: usize,
}

impl<'a, L: ReceptionRandom> Rewindable<'a, L> {
    pub fn new(random: &'a mut L) -> Self {
        Rewindable {
            random,
            drawn: [0.0; 2],
            kept: 0,
            taken: 0,
        }
    }

    /// The next draw is the last one again.
    pub fn put_back(&mut self) {
        self.taken -= 1;
    }

    /// The next draw is the first one again.
    pub fn rewind(&mut self) {
        self.taken = 0;
    }
}

impl<L: ReceptionRandom> ReceptionRandom for Rewindable<'_, L> {
    #[inline]
    fn unit(&mut self) -> f64 {
        if self.taken == self.kept {
            self.drawn[self.kept] = self.random.unit();
            self.kept += 1;
        }
        self.taken += 1;
        self.drawn[self.taken - 1]
    }
}

/// The stations behind the radios, which the medium tells of the end of a frame.
pub trait Stations {
    /// Where a station's draws come from.
    type Random: ReceptionRandom + Draw;

    /// The draws of the station of `radio`.
    fn random(&mut self, radio: usize) -> &mut Self::Random;

    /// The lengths of the MPDUs in the aggregate that `radio` sends.
    fn mpdus(&self, radio: usize) -> impl Iterator<Item = u16>;

    /// The addressee of an aggregate has decoded these of its MPDUs, and not all. Told right before
    /// the end of its reception.
    fn on_decoded(&mut self, radio: usize, decoded: Decoded);

    /// A reception has ended that concerns the station of `radio`: it is the addressee, awaits
    /// a response or is monitored. Answers when the station wants to be woken.
    fn on_reception(
        &mut self,
        radio: usize,
        frame: &Frame,
        reception: Reception,
        contention: &mut Contention,
    ) -> Time;

    /// The station of `radio` has sent its last bit. Answers when it wants to be woken.
    fn on_transmit_end(&mut self, radio: usize, frame: &Frame, contention: &mut Contention)
    -> Time;
}

/// How a reception went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reception {
    /// Whether the frame was decoded; of an aggregate, any MPDU.
    pub decoded: bool,
    /// Whether it is for this radio, or for all.
    pub addressed: bool,
}
