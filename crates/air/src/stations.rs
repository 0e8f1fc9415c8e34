//! What the medium asks of the stations behind its radios, and tells them.

use dot11::{Contention, Draw, Frame};
use units::Time;

/// Where draws for receptions come from: one per radio, so that none shifts another's luck.
pub trait Chance {
    /// A uniform number in `[0, 1)`.
    fn unit(&mut self) -> f64;
}

/// The stations behind the radios, which the medium tells of the end of a frame.
pub trait Stations {
    /// Where a station's draws come from.
    type Luck: Chance + Draw;

    /// The draws of the station of `radio`.
    fn luck(&mut self, radio: usize) -> &mut Self::Luck;

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
    /// Whether the frame was decoded.
    pub decoded: bool,
    /// Whether it is for this radio, or for all.
    pub addressed: bool,
}
