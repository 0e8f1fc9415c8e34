//! How the frames of a radio that contended for the medium fared among those of others.

use air::{Collision, Transmission};
use dot11::FrameKind;

use super::FrameReception;

/// What has been counted of a radio, or of several.
#[derive(Clone, Copy, Debug, Default)]
pub struct Accesses {
    /// Frames that opened an exchange after contention. A frame that follows its own
    /// station's success without any backoff is none: nothing could collide with it.
    pub contended: u64,
    /// Those of them that collided with another.
    pub collided: u64,
    /// Those of them that collided with a frame of a radio that their sender does not sense.
    pub collided_with_hidden: u64,
    /// Data and RTS frames that collided and were not decoded.
    pub collisions: u64,
    /// Those of them that collided with a frame of a radio that their sender does not sense.
    pub collisions_with_hidden: u64,
}

impl Accesses {
    /// Counts a frame that has ended.
    pub fn count(&mut self, done: &Transmission, contended: bool, fate: FrameReception) {
        let is_collision = done.has_collided()
            && fate == FrameReception::Lost
            && matches!(done.frame.kind, FrameKind::Data | FrameKind::Rts);
        let is_hidden = done.collision == Collision::Hidden;
        self.contended += u64::from(contended);
        self.collided += u64::from(contended && done.has_collided());
        self.collided_with_hidden += u64::from(contended && is_hidden);
        self.collisions += u64::from(is_collision);
        self.collisions_with_hidden += u64::from(is_collision && is_hidden);
    }

    /// Returns what came since `earlier`.
    #[must_use]
    pub fn since(self, earlier: Accesses) -> Accesses {
        self.with(earlier, |now, before| now - before)
    }

    /// These and others.
    #[must_use]
    pub fn and(self, others: Accesses) -> Accesses {
        self.with(others, |own, other| own + other)
    }

    fn with(self, other: Accesses, each: impl Fn(u64, u64) -> u64) -> Accesses {
        Accesses {
            contended: each(self.contended, other.contended),
            collided: each(self.collided, other.collided),
            collided_with_hidden: each(self.collided_with_hidden, other.collided_with_hidden),
            collisions: each(self.collisions, other.collisions),
            collisions_with_hidden: each(self.collisions_with_hidden, other.collisions_with_hidden),
        }
    }
}
