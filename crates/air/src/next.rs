//! Who acts next, and when.

use units::Time;

/// The radio that acts next, the lowest among equals, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    pub at: Time,
    pub radio: usize,
}

impl Next {
    pub const NOBODY: Next = Next {
        at: Time::NEVER,
        radio: usize::MAX,
    };

    /// The sooner of it and another radio.
    #[inline]
    pub fn or(self, at: Time, radio: usize) -> Next {
        if at < self.at || (at == self.at && radio < self.radio) {
            Next { at, radio }
        } else {
            self
        }
    }

    /// The same of a radio behind it in order.
    #[inline]
    pub fn or_later(self, at: Time, radio: usize) -> Next {
        if at < self.at {
            Next { at, radio }
        } else {
            self
        }
    }
}
