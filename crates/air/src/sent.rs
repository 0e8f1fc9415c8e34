//! What is on the air, by the radio that sends it.

use dot11::Frame;
use units::{Milliwatts, Time};

use crate::errors::ErrorMemo;
use crate::lock::{Heard, Lock};
use crate::stations::Chance;

/// What a radio has on the air.
#[derive(Clone, Copy, Debug)]
pub struct Transmission {
    pub frame: Frame,
    pub start: Time,
    /// Whether another transmission was on the air at the same time, anywhere.
    pub overlapped: bool,
    /// Whether it arrives damaged everywhere, its check sequence wrong.
    pub damaged: bool,
}

impl Transmission {
    /// The last bit of its PLCP header.
    #[inline]
    pub fn header_at(&self) -> Time {
        self.start + self.frame.plcp_time()
    }
}

/// What is on the air.
#[derive(Debug)]
pub struct Sent {
    /// By the radio that sends it: one frame at a time.
    transmissions: Vec<Option<Transmission>>,
    on_air: u32,
    noise: Milliwatts,
}

impl Sent {
    /// Silence among `radios` radios.
    pub fn new(radios: usize, noise: Milliwatts) -> Self {
        Sent {
            transmissions: vec![None; radios],
            on_air: 0,
            noise,
        }
    }

    /// How many frames are on the air.
    #[inline]
    pub fn on_air(&self) -> u32 {
        self.on_air
    }

    /// Any of them.
    pub fn any(&self) -> Option<&Transmission> {
        self.transmissions.iter().flatten().next()
    }

    /// Puts a frame of the radio `from` on the air.
    pub fn admit(&mut self, now: Time, from: usize, frame: Frame) {
        let overlapped = self.on_air > 0;
        if overlapped {
            for other in self.transmissions.iter_mut().flatten() {
                other.overlapped = true;
            }
        }
        self.on_air += 1;
        let transmission = Transmission {
            frame,
            start: now,
            overlapped,
            damaged: false,
        };
        let before = self.transmissions[from].replace(transmission);
        debug_assert!(before.is_none(), "a radio sends one frame at a time");
    }

    /// Has the frame of a radio, which has just begun, arrive damaged everywhere.
    pub fn damage(&mut self, from: usize) {
        self.transmissions[from].as_mut().expect(ON_AIR).damaged = true;
    }

    /// Takes the frame of a radio off the air.
    #[inline]
    pub fn withdraw(&mut self, from: usize) -> Transmission {
        self.on_air -= 1;
        self.transmissions[from].take().expect(ON_AIR)
    }

    /// What a radio has on the air.
    #[inline]
    pub fn from(&self, radio: usize) -> &Transmission {
        self.transmissions[radio].as_ref().expect(ON_AIR)
    }

    /// Accounts for the bits received up to `now`. Only frames that overlap need it: out of
    /// line, it leaves the passes over the radios their registers.
    #[inline(never)]
    pub fn settle(&self, now: Time, lock: &mut Lock, memo: &mut ErrorMemo) {
        lock.settle(now, &self.from(lock.on).frame, self.noise, memo);
    }

    /// What a receiver has heard of a frame that ends now.
    #[inline(never)]
    pub fn heard(
        &self,
        now: Time,
        lock: &mut Lock,
        memo: &mut ErrorMemo,
        luck: &mut impl Chance,
    ) -> Heard {
        self.settle(now, lock, memo);
        // A damaged frame takes the draws of a sound one, so that it shifts nobody's luck.
        match lock.heard(luck) {
            Heard::Frame if self.from(lock.on).damaged => Heard::Header,
            heard => heard,
        }
    }
}

const ON_AIR: &str = "a transmission ends while it is on the air";
