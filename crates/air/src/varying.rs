//! Links whose loss changes while a world runs.

use std::fmt::Debug;

use units::{Db, Milliwatts, Time};

/// What lets the loss of a link change: a function of its seed and the time, asked where somebody
/// looks at the link and nowhere else.
///
/// Who asks more often gets to know more, and changes nothing.
pub trait Process: Debug + Send {
    /// The power at a time over that of the link's fixed loss, as a ratio. Time never goes back
    /// from one call to the next, unless the process is gradual.
    fn gain(&mut self, at: Time) -> f64;

    /// Until when the gain given last stays as it is, where that is known: nobody asks before.
    fn holds_until(&self) -> Time {
        Time::ZERO
    }

    /// Until when the gain given last surely changes by no more than `by`, up or down, and before by
    /// no more than as large a share of that as has passed of the time, if the process is gradual:
    /// one that knows. Meanwhile it is asked where it matters alone, for times in any order.
    fn deviates_until(&self, _by: Db) -> Option<Time> {
        None
    }
}

/// All links that vary.
#[derive(Debug)]
pub struct Varying {
    links: Vec<VaryingLink>,
    /// By who sends.
    senders: Vec<SenderLinks>,
    /// By who sends and who receives, its place among the ways of the sender.
    places: Vec<u32>,
}

/// The links of a radio.
#[derive(Clone, Debug)]
struct SenderLinks {
    ways: Vec<LinkDirection>,
    /// When it began its last frame.
    began: Time,
    /// Until when they stay as they were when it last sent.
    holds_until: Time,
    /// Until when the bounds of all of them hold.
    bound_until: Time,
}

/// What varies between two radios, one process over the other; the same both ways, as propagation
/// is reciprocal.
#[derive(Debug)]
struct VaryingLink {
    processes: Vec<Box<dyn Process>>,
    /// Whether all of them are gradual.
    is_gradual: bool,
}

/// A direction of a link.
#[derive(Clone, Copy, Debug)]
struct LinkDirection {
    to: u32,
    link: u32,
    /// What arrives by the fixed loss.
    fixed: Milliwatts,
    /// What arrives of the frame that the sender began then; somebody has looked.
    power: Milliwatts,
    looked_at: Time,
    bound: Bound,
}

/// How far a power deviates since it was found.
#[derive(Clone, Copy, Debug)]
struct Bound {
    power: Milliwatts,
    since: Time,
    /// By what ratio, up or down, beyond one and for each nanosecond.
    ratio_per_ns: f64,
    until: Time,
}

/// How far a gradual link may deviate, at most, until it is looked at again. It decides how often
/// that is, and nothing else. [inferred: half a decibel is 4 % of the distance in a room]
const MOST_DEVIATION: Db = Db(0.5);

impl VaryingLink {
    fn none() -> VaryingLink {
        VaryingLink {
            processes: Vec::new(),
            is_gradual: false,
        }
    }

    fn add(&mut self, process: Box<dyn Process>) {
        let was_gradual = self.is_gradual || self.processes.is_empty();
        self.is_gradual = was_gradual && process.deviates_until(Db(0.0)).is_some();
        self.processes.push(process);
    }

    fn gain(&mut self, at: Time) -> f64 {
        let gains = self.processes.iter_mut().map(|process| process.gain(at));
        gains.fold(1.0, |all, gain| all * gain)
    }

    fn holds_until(&self) -> Time {
        let all = self.processes.iter().map(|process| process.holds_until());
        all.fold(Time::NEVER, Time::min)
    }

    fn deviates_until(&self, by: Db) -> Time {
        let by = Db(by.0 / self.processes.len() as f64);
        let all = self
            .processes
            .iter()
            .filter_map(|process| process.deviates_until(by));
        all.fold(Time::NEVER, Time::min)
    }
}

impl LinkDirection {
    /// Returns what arrives of a frame that the sender began at a time, if somebody has looked.
    #[inline]
    fn known(&self, began: Time) -> Option<Milliwatts> {
        (self.looked_at == began).then_some(self.power)
    }

    fn look(&mut self, at: Time, link: &mut VaryingLink) {
        self.power = Milliwatts(self.fixed.0 * link.gain(at));
        self.looked_at = at;
    }

    /// Notes how far the power that has just been found may deviate.
    fn bind(&mut self, margin: Db, link: &VaryingLink) {
        let by = Db(margin.0.min(MOST_DEVIATION.0));
        let (since, until) = (self.looked_at, link.deviates_until(by));
        self.bound = Bound {
            power: self.power,
            since,
            ratio_per_ns: (by.ratio() - 1.0) / (until - since).as_nanos() as f64,
            until,
        };
    }
}

impl Bound {
    fn none(power: Milliwatts) -> Bound {
        Bound {
            power,
            since: Time::ZERO,
            ratio_per_ns: 0.0,
            until: Time::ZERO,
        }
    }

    /// Returns what the power is at least and at most at a time. A number of decibels that grows
    /// evenly is, as a ratio, never more than a ratio that does.
    #[inline]
    fn at(&self, at: Time) -> [Milliwatts; 2] {
        let ratio = 1.0 + self.ratio_per_ns * (at - self.since).as_nanos() as f64;
        [
            Milliwatts(self.power.0 / ratio),
            Milliwatts(self.power.0 * ratio),
        ]
    }
}

impl Varying {
    const NOWHERE: u32 = u32::MAX;

    /// None among `radios`.
    pub fn none(radios: usize) -> Varying {
        let sender = SenderLinks {
            ways: Vec::new(),
            began: Time::ZERO,
            holds_until: Time::ZERO,
            bound_until: Time::ZERO,
        };
        Varying {
            links: Vec::new(),
            senders: vec![sender; radios],
            places: vec![Varying::NOWHERE; radios * radios],
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
        self.links[link].add(process);
    }

    /// The number of the link between two radios, which may be one that nothing varies yet.
    pub fn join(
        &mut self,
        [one, other]: [usize; 2],
        powers: impl Fn(usize, usize) -> Milliwatts,
    ) -> usize {
        if let Some(place) = self.place(one, other) {
            return self.senders[one].ways[place].link as usize;
        }
        let link = self.links.len();
        for (from, to) in [(one, other), (other, one)] {
            let fixed = powers(from, to);
            let radios = self.senders.len();
            let ways = &mut self.senders[from].ways;
            self.places[from * radios + to] = ways.len() as u32;
            ways.push(LinkDirection {
                to: to as u32,
                link: link as u32,
                fixed,
                power: fixed,
                looked_at: Time::ZERO,
                bound: Bound::none(fixed),
            });
        }
        self.links.push(VaryingLink::none());
        link
    }

    /// Changes what arrives by the fixed losses over all links of a radio, each direction by the
    /// ratio that `change` gives for sender and receiver, from the next frame of each on.
    pub fn change(&mut self, radio: usize, change: impl Fn(usize, usize) -> f64) {
        for from in 0..self.senders.len() {
            for place in 0..self.senders[from].ways.len() {
                let to = self.senders[from].ways[place].to as usize;
                if from == radio || to == radio {
                    // The last frame has the power that it had.
                    self.power(from, to);
                    let sender = &mut self.senders[from];
                    sender.holds_until = Time::ZERO;
                    sender.bound_until = Time::ZERO;
                    let way = &mut sender.ways[place];
                    way.fixed.0 *= change(from, to);
                    way.bound.until = Time::ZERO;
                }
            }
        }
    }

    /// Returns whether a link between two radios varies.
    pub fn joins(&self, one: usize, other: usize) -> bool {
        self.place(one, other).is_some()
    }

    #[inline]
    fn place(&self, from: usize, to: usize) -> Option<usize> {
        let place = self.places[from * self.senders.len() + to];
        (place != Varying::NOWHERE).then_some(place as usize)
    }

    /// A frame begins: tells what the radios with a link to `from` receive of it, but where it can
    /// be told already that it makes no difference. `margin` says how far a power may deviate that
    /// makes none.
    #[inline]
    pub fn begin(
        &mut self,
        at: Time,
        from: usize,
        margin: impl Fn(Milliwatts) -> Db,
        mut tell: impl FnMut(usize, Milliwatts),
    ) {
        let SenderLinks {
            ways,
            began,
            holds_until,
            bound_until,
        } = &mut self.senders[from];
        if at < *holds_until {
            return;
        }
        *began = at;
        if at < *bound_until {
            return;
        }
        *holds_until = Time::NEVER;
        *bound_until = Time::NEVER;
        for way in ways {
            let mut holds = Time::ZERO;
            if at >= way.bound.until {
                let link = &mut self.links[way.link as usize];
                way.look(at, link);
                holds = link.holds_until();
                if link.is_gradual && holds <= at {
                    way.bind(margin(way.power), link);
                }
                tell(way.to as usize, way.power);
            }
            *holds_until = holds.min(*holds_until);
            *bound_until = way.bound.until.min(*bound_until);
        }
    }

    /// Returns what `to` receives of the last frame of `from`; none where that does not vary.
    #[inline]
    pub fn power(&mut self, from: usize, to: usize) -> Option<Milliwatts> {
        let place = self.place(from, to)?;
        let SenderLinks { ways, began, .. } = &mut self.senders[from];
        let way = &mut ways[place];
        if way.looked_at != *began {
            way.look(*began, &mut self.links[way.link as usize]);
        }
        Some(way.power)
    }

    /// Returns what lies at least and at most between, without a look at the link.
    #[inline]
    pub fn bounds(&self, from: usize, to: usize) -> Option<[Milliwatts; 2]> {
        let place = self.place(from, to)?;
        let SenderLinks { ways, began, .. } = &self.senders[from];
        let way = &ways[place];
        Some(match way.known(*began) {
            Some(power) => [power; 2],
            None => way.bound.at(*began),
        })
    }

    /// Returns what `to` receives of `from` at a time; none where that does not vary.
    pub fn power_at(&mut self, at: Time, from: usize, to: usize) -> Option<Milliwatts> {
        let place = self.place(from, to)?;
        let way = &self.senders[from].ways[place];
        let gain = self.links[way.link as usize].gain(at);
        Some(Milliwatts(way.fixed.0 * gain))
    }
}
