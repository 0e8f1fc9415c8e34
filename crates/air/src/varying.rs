//! Links whose loss changes while a world runs.

use std::fmt::Debug;

use units::{Milliwatts, Time};

/// What lets the loss of a link change: a function of its seed and the time, asked where somebody
/// looks at the link and nowhere else.
///
/// Who asks more often gets to know more, and changes nothing.
pub trait Process: Debug + Send {
    /// The power at a time over that of the link's fixed loss, as a ratio. Time never goes back
    /// from one call to the next.
    fn gain(&mut self, at: Time) -> f64;

    /// Until when the gain given last stays as it is, where that is known: nobody asks before.
    fn holds_until(&self) -> Time {
        Time::ZERO
    }
}

/// All links that vary.
#[derive(Debug)]
pub struct Varying {
    links: Vec<Link>,
    /// By who sends.
    senders: Vec<Sender>,
}

/// The links of a radio.
#[derive(Clone, Debug, Default)]
struct Sender {
    ways: Vec<Way>,
    /// Until when they stay as they were when it last sent.
    holds_until: Time,
}

/// What varies between two radios, one process over the other; the same both ways, as propagation
/// is reciprocal.
#[derive(Debug)]
struct Link {
    processes: Vec<Box<dyn Process>>,
}

/// A direction of a link.
#[derive(Clone, Copy, Debug)]
struct Way {
    to: u32,
    link: u32,
    /// What arrives by the fixed loss.
    fixed: Milliwatts,
}

impl Link {
    fn gain(&mut self, at: Time) -> f64 {
        let gains = self.processes.iter_mut().map(|process| process.gain(at));
        gains.fold(1.0, |all, gain| all * gain)
    }

    fn holds_until(&self) -> Time {
        let all = self.processes.iter().map(|process| process.holds_until());
        all.fold(Time::NEVER, Time::min)
    }
}

impl Varying {
    /// None among `radios`.
    pub fn none(radios: usize) -> Varying {
        Varying {
            links: Vec::new(),
            senders: vec![Sender::default(); radios],
        }
    }

    /// Adds a process to a link, of which `powers` tells the fixed ones by sender and receiver.
    pub fn add(
        &mut self,
        between: [usize; 2],
        process: Box<dyn Process>,
        powers: impl Fn(usize, usize) -> Milliwatts,
    ) {
        let link = self.join(between, powers);
        self.links[link].processes.push(process);
    }

    /// The number of the link between two radios, which may be one that nothing varies yet.
    pub fn join(
        &mut self,
        [one, other]: [usize; 2],
        powers: impl Fn(usize, usize) -> Milliwatts,
    ) -> usize {
        if let Some(way) = self.way(one, other) {
            return way.link as usize;
        }
        let link = self.links.len();
        for (from, to) in [(one, other), (other, one)] {
            let way = Way {
                to: to as u32,
                link: link as u32,
                fixed: powers(from, to),
            };
            self.senders[from].ways.push(way);
        }
        let processes = Vec::new();
        self.links.push(Link { processes });
        link
    }

    /// Changes what arrives by the fixed losses over all links of a radio, each direction by the
    /// ratio that `change` gives for sender and receiver.
    pub fn change(&mut self, radio: usize, change: impl Fn(usize, usize) -> f64) {
        for (from, sender) in self.senders.iter_mut().enumerate() {
            for way in &mut sender.ways {
                let to = way.to as usize;
                if from == radio || to == radio {
                    way.fixed.0 *= change(from, to);
                    sender.holds_until = Time::ZERO;
                }
            }
        }
    }

    /// Whether a link between two radios varies.
    pub fn joins(&self, one: usize, other: usize) -> bool {
        self.way(one, other).is_some()
    }

    fn way(&self, from: usize, to: usize) -> Option<Way> {
        let mut ways = self.senders[from].ways.iter();
        ways.find(|way| way.to as usize == to).copied()
    }

    /// Tells what each radio with a link to `from` receives of it at a time, unless that holds
    /// since the last call.
    #[inline]
    pub fn powers(&mut self, at: Time, from: usize, mut tell: impl FnMut(usize, Milliwatts)) {
        let Sender { ways, holds_until } = &mut self.senders[from];
        if at < *holds_until {
            return;
        }
        *holds_until = Time::NEVER;
        for way in ways {
            let link = &mut self.links[way.link as usize];
            let gain = link.gain(at);
            *holds_until = link.holds_until().min(*holds_until);
            tell(way.to as usize, Milliwatts(way.fixed.0 * gain));
        }
    }

    /// What `to` receives of `from` at a time; none where that does not vary.
    pub fn power(&mut self, at: Time, from: usize, to: usize) -> Option<Milliwatts> {
        let way = self.way(from, to)?;
        let gain = self.links[way.link as usize].gain(at);
        Some(Milliwatts(way.fixed.0 * gain))
    }
}
