//! What is on the air, by the radio that sends it, and what was under what is.

use dot11::{Address, Frame};
use units::Time;

use crate::budget::LinkBudget;
use crate::collision::{Collision, OnAir, Overlaps};

/// A frame on the air, and what has become of it.
#[derive(Clone, Copy, Debug)]
pub struct Transmission {
    /// The frame.
    pub frame: Frame,
    /// Its first bit.
    pub start: Time,
    /// At its end, what it has collided with.
    pub collision: Collision,
    /// At its end, whether its addressee decoded it; true for a broadcast that nothing was said to
    /// damage.
    pub decoded: bool,
    /// Whether it arrives damaged everywhere, its check sequence wrong.
    pub(crate) damaged: bool,
    /// What else has been sent meanwhile.
    pub(crate) overlaps: Overlaps,
}

impl Transmission {
    /// Returns whether it has collided with another.
    #[inline]
    pub fn has_collided(&self) -> bool {
        self.collision != Collision::None
    }

    /// Returns whether it arrives damaged everywhere because somebody has said so.
    pub fn is_damaged(&self) -> bool {
        self.damaged
    }

    /// The last bit of its PLCP header.
    #[inline]
    pub(crate) fn header_at(&self) -> Time {
        self.start + self.frame.plcp_time()
    }
}

/// A time in which a radio has transmitted.
#[derive(Clone, Copy, Debug)]
pub struct Past {
    pub from: usize,
    pub start: Time,
    pub end: Time,
}

/// What goes on among radios that hear one another, over others or at once.
#[derive(Clone, Debug, Default)]
pub struct Domain {
    /// The radio whose frame nothing has overlapped so far; the only one on the air.
    pub alone: Option<u32>,
    /// Else who has a frame on the air, in the order of their beginnings.
    pub on_air: Vec<usize>,
    /// What has ended and has overlapped any of them.
    pub past: Vec<Past>,
}

/// What is on the air.
#[derive(Debug)]
pub struct TransmissionsOnAir {
    /// By the radio that sends it: one frame at a time.
    transmissions: Vec<Option<Transmission>>,
    /// The first domain, which is the only one in most worlds, and the others.
    domain: Domain,
    others: Vec<Domain>,
    /// The number of each radio's domain; empty where there is one.
    domain_of: Vec<u32>,
    /// By address.
    radio_of: Vec<Option<u32>>,
}

impl TransmissionsOnAir {
    /// Silence among radios of these addresses.
    pub fn new(budget: &LinkBudget, addresses: &[Address]) -> Self {
        let mut domain_of = domains(budget);
        let others = domain_of.iter().max().map_or(0, |&last| last as usize);
        if others == 0 {
            domain_of.clear();
        }
        let last = addresses.iter().map(|address| usize::from(address.0)).max();
        let mut radio_of = vec![None; last.map_or(0, |last| last + 1)];
        for (radio, address) in (0..).zip(addresses) {
            radio_of[usize::from(address.0)] = Some(radio);
        }
        TransmissionsOnAir {
            transmissions: vec![None; addresses.len()],
            domain: Domain::default(),
            others: vec![Domain::default(); others],
            domain_of,
            radio_of,
        }
    }

    /// Returns what goes on where a radio is.
    #[inline]
    pub fn domain(&self, radio: usize) -> &Domain {
        match self.domain_of.get(radio) {
            None | Some(0) => &self.domain,
            Some(&number) => &self.others[number as usize - 1],
        }
    }

    #[inline]
    fn domain_mut(&mut self, radio: usize) -> &mut Domain {
        match self.domain_of.get(radio) {
            None | Some(0) => &mut self.domain,
            Some(&number) => &mut self.others[number as usize - 1],
        }
    }

    /// The radio that a frame is for; none for everybody, or where no radio has the address.
    #[inline]
    pub fn addressee(&self, frame: &Frame) -> Option<usize> {
        let radio = self.radio_of.get(usize::from(frame.receiver.0))?;
        radio.map(|radio| radio as usize)
    }

    /// The frames on the air, by the radio that sends them.
    pub fn all(&self) -> impl Iterator<Item = (usize, &Transmission)> {
        let each = self.transmissions.iter().enumerate();
        each.filter_map(|(from, sent)| Some((from, sent.as_ref()?)))
    }

    /// Puts a frame of the radio `from` on the air; answers whether it is the only one.
    #[inline]
    pub fn admit(&mut self, now: Time, from: usize, frame: &Frame) -> bool {
        let transmission = Transmission {
            frame: *frame,
            start: now,
            collision: Collision::None,
            decoded: false,
            damaged: false,
            overlaps: Overlaps::default(),
        };
        let place = &mut self.transmissions[from];
        debug_assert!(place.is_none(), "a radio sends one frame at a time");
        *place = Some(transmission);
        let domain = self.domain_mut(from);
        let is_first = domain.alone.is_none() && domain.on_air.is_empty();
        if is_first {
            domain.alone = Some(from as u32);
        }
        is_first
    }

    /// A frame alone on the air is so no longer; who sends it, if there was one.
    pub fn leave_alone(&mut self, radio: usize) -> Option<usize> {
        let domain = self.domain_mut(radio);
        let first = domain.alone.take()? as usize;
        domain.on_air.push(first);
        Some(first)
    }

    /// The frame of a radio lies over all others on the air.
    pub fn overlap(&mut self, from: usize, budget: &mut LinkBudget) {
        let one = self.on_air(from, budget);
        for at in 0..self.domain(from).on_air.len() {
            let other = self.on_air(self.domain(from).on_air[at], budget);
            self.overlaps(from).note(&one, &other, budget);
            self.overlaps(other.from).note(&other, &one, budget);
        }
        self.domain_mut(from).on_air.push(from);
    }

    fn overlaps(&mut self, from: usize) -> &mut Overlaps {
        &mut self.transmissions[from].as_mut().expect(ON_AIR).overlaps
    }

    fn on_air(&self, from: usize, budget: &LinkBudget) -> OnAir {
        let frame = &self.from(from).frame;
        OnAir {
            vector: frame.vector,
            from,
            to: self.addressee(frame),
            row: budget.row(from, frame.mode()),
        }
    }

    /// Has the frame of a radio, which has just begun, arrive damaged everywhere.
    pub fn damage(&mut self, from: usize) {
        self.transmissions[from].as_mut().expect(ON_AIR).damaged = true;
    }

    /// Takes the frame of a radio off the air.
    #[inline]
    pub fn withdraw(&mut self, from: usize) -> Transmission {
        // Copied and then forgotten: taken out, it would be copied field by field.
        let done = *self.from(from);
        self.transmissions[from] = None;
        done
    }

    /// Returns whether a frame that ends was alone on the air.
    #[inline]
    pub fn was_alone(&mut self, from: usize) -> bool {
        self.domain_mut(from).alone.take().is_some()
    }

    /// A frame that was not alone on the air has ended.
    pub fn pass(&mut self, past: Past) {
        let domain = self.domain_mut(past.from);
        domain.on_air.retain(|&other| other != past.from);
        let Some(&first) = domain.on_air.first() else {
            domain.past.clear();
            return;
        };
        let since = self.from(first).start;
        let domain = self.domain_mut(past.from);
        domain.past.retain(|past| past.end > since);
        domain.past.push(past);
    }

    /// Returns what a radio has on the air.
    #[inline]
    pub fn from(&self, radio: usize) -> &Transmission {
        self.transmissions[radio].as_ref().expect(ON_AIR)
    }

    /// Returns whether a radio has something on the air.
    #[inline]
    pub fn is_sending(&self, radio: usize) -> bool {
        self.transmissions[radio].is_some()
    }
}

const ON_AIR: &str = "a transmission ends while it is on the air";

/// The number of each radio's domain.
fn domains(budget: &LinkBudget) -> Vec<u32> {
    const UNKNOWN: u32 = u32::MAX;
    let mut domain_of = vec![UNKNOWN; budget.radios()];
    let mut next = 0;
    for first in 0..budget.radios() {
        if domain_of[first] != UNKNOWN {
            continue;
        }
        let mut open = vec![first];
        domain_of[first] = next;
        while let Some(radio) = open.pop() {
            for (other, domain) in domain_of.iter_mut().enumerate() {
                let is_near = budget.is_heard(radio, other)
                    || budget.is_heard(other, radio)
                    || budget.varies_between(radio, other);
                if *domain == UNKNOWN && is_near {
                    *domain = next;
                    open.push(other);
                }
            }
        }
        next += 1;
    }
    domain_of
}
