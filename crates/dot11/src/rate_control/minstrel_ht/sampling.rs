//! Which other rates are tried.
//!
//! Where Linux draws, a table that is always the same has the order. [inferred: nothing else depends on
//! it]

use super::groups::Rates;
use super::ranking::Ranking;
use super::statistics::{RateStatistics, percent};

/// Why a rate is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SampleKind {
    /// It is the next one faster than the best.
    Step,
    /// It is faster than all that are used.
    Jump,
    /// It is between those that are used.
    Slow,
}

use SampleKind::{Jump, Slow, Step};

const KINDS: [SampleKind; 3] = [Step, Jump, Slow];

/// In which order kinds take turns.
const TURNS: [SampleKind; 6] = [Step, Jump, Step, Jump, Step, Slow];

/// How many rates wait to be tried of each kind.
const CANDIDATES: usize = 5;

/// In how many orders a group's rates are gone through.
const ORDERS: usize = 10;

/// The times of a packet that bound what is tried.
#[derive(Clone, Copy, Debug)]
struct SamplingBounds {
    best: u32,
    fastest: u32,
    slowest: u32,
}

/// The rates that wait to be tried.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    turn: usize,
    /// By kind.
    candidates: [Candidates; 3],
    /// Where each group is in the orders of its rates.
    places: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
struct Candidates {
    rates: Vec<usize>,
    /// The group that gave the last one.
    group: usize,
}

impl Sampler {
    pub(super) fn new(rates: &Rates) -> Sampler {
        Sampler {
            turn: 0,
            candidates: Default::default(),
            places: vec![0; rates.groups.len()],
        }
    }

    /// The rate to be tried now, if the kind whose turn it is has one. It waits no more.
    pub(super) fn next(&mut self) -> Option<usize> {
        let kind = TURNS[self.turn];
        self.turn = (self.turn + 1) % TURNS.len();
        let waiting = &mut self.candidates[kind as usize].rates;
        (!waiting.is_empty()).then(|| waiting.remove(0))
    }

    /// Drops what is no longer worth a try, and finds others, at an update.
    pub(super) fn refill(&mut self, rates: &Rates, tracks: &[RateStatistics], ranking: &Ranking) {
        let used = [ranking.best[0], ranking.best[1], ranking.surest].map(|rate| rates.nanos[rate]);
        let [best, second, surest] = used;
        let bounds = SamplingBounds {
            best,
            fastest: best.min(second).min(surest),
            slowest: best.max(second).max(surest),
        };
        for kind in KINDS {
            let fits = |rate: usize| kind.fits(rates.nanos[rate], bounds, tracks[rate].probability);
            let waiting = &mut self.candidates[kind as usize].rates;
            waiting.retain(|&rate| fits(rate));
            while self.candidates[kind as usize].rates.len() < CANDIDATES {
                match self.another(rates, kind, bounds, fits) {
                    Some(rate) => self.candidates[kind as usize].rates.push(rate),
                    None => break,
                }
            }
        }
    }

    /// A rate of the next group that has one which fits and does not wait.
    fn another(
        &mut self,
        rates: &Rates,
        kind: SampleKind,
        bounds: SamplingBounds,
        fits: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let groups = rates.groups.len();
        let from = self.candidates[kind as usize].group;
        for group in (1..=groups).map(|step| (from + step) % groups) {
            let found = match kind {
                Step => rates.first_below(group, bounds.best),
                Jump | Slow => self.draw(rates, group, &fits),
            };
            let own = &mut self.candidates[kind as usize];
            if let Some(rate) = found.filter(|rate| !own.rates.contains(rate)) {
                own.group = group;
                return Some(rate);
            }
        }
        None
    }

    /// The next rate in the order of a group that fits.
    fn draw(&mut self, rates: &Rates, group: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let of = &rates.groups[group].rates;
        let (place, found) = (1..=of.len()).find_map(|step| {
            let place = self.places[group] + step;
            let rate = of.start + in_order(place, of.len());
            fits(rate).then_some((place, rate))
        })?;
        self.places[group] = place % (ORDERS * of.len());
        Some(found)
    }
}

impl SampleKind {
    /// Returns whether a rate is worth a try of this kind. A slower one is not that is known to
    /// arrive.
    fn fits(self, nanos: u32, bounds: SamplingBounds, probability: u32) -> bool {
        match self {
            Step => nanos < bounds.best,
            Jump => nanos < bounds.fastest,
            Slow => nanos > bounds.fastest && nanos < bounds.slowest && probability <= percent(95),
        }
    }
}

/// The rate at a place of the orders, one behind the other, of a group so large: multiples of a number
/// that has no divisor with its size, each order from another start.
fn in_order(place: usize, size: usize) -> usize {
    let (order, at) = (place / size % ORDERS, place % size);
    let coprime = (1..size).filter(|&stride| gcd(stride, size) == 1);
    let strides: Vec<usize> = coprime.collect();
    let stride = strides
        .get(order % strides.len().max(1))
        .copied()
        .unwrap_or(1);
    (order * 3 + at * stride) % size
}

fn gcd(one: usize, other: usize) -> usize {
    if other == 0 {
        one
    } else {
        gcd(other, one % other)
    }
}

#[cfg(test)]
mod tests {
    use phy::{GuardInterval, Mode, Width};

    use super::*;

    fn rates() -> Rates {
        Rates::up_to(Mode::ht(15, Width::Mhz20, GuardInterval::Ns800))
    }

    fn ranking(best: [usize; 3], surest: usize) -> Ranking {
        Ranking {
            best,
            surest,
            ..Ranking::new(&rates())
        }
    }

    fn refilled(ranking: &Ranking) -> Sampler {
        let rates = rates();
        let mut sampler = Sampler::new(&rates);
        sampler.refill(&rates, &[RateStatistics::default(); 16], ranking);
        sampler
    }

    #[test]
    fn an_order_has_every_rate_once() {
        for size in 1..=12 {
            for order in 0..ORDERS {
                let mut of: Vec<usize> = (0..size)
                    .map(|at| in_order(order * size + at, size))
                    .collect();
                of.sort_unstable();
                assert_eq!(of, (0..size).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn each_group_gives_the_next_faster_rate() {
        // MCS 3 of one stream is as fast as MCS 1 of two.
        let sampler = refilled(&ranking([3, 2, 1], 1));
        assert_eq!(sampler.candidates[Step as usize].rates, [10, 4]);
        let nanos = rates().nanos;
        let jumps = &sampler.candidates[Jump as usize].rates;
        assert_eq!(jumps.len(), CANDIDATES);
        assert!(
            jumps.iter().all(|&rate| nanos[rate] < nanos[3]),
            "{jumps:?}"
        );
    }

    #[test]
    fn slower_ones_are_between_those_that_are_used() {
        let sampler = refilled(&ranking([7, 6, 5], 2));
        let nanos = rates().nanos;
        let slow = &sampler.candidates[Slow as usize].rates;
        assert!(!slow.is_empty());
        assert!(
            slow.iter()
                .all(|&rate| nanos[rate] > nanos[7] && nanos[rate] < nanos[2])
        );
    }

    #[test]
    fn nothing_is_tried_where_the_fastest_is_best() {
        let mut sampler = refilled(&ranking([15, 15, 15], 15));
        assert!((0..12).all(|_| sampler.next().is_none()));
    }

    #[test]
    fn kinds_take_turns_and_a_candidate_goes_once() {
        let mut sampler = refilled(&ranking([3, 2, 1], 1));
        let tried: Vec<_> = (0..6).map(|_| sampler.next()).collect();
        assert_eq!([tried[0], tried[2], tried[4]], [Some(10), Some(4), None]);
        let nanos = rates().nanos;
        for jump in [tried[1], tried[3]] {
            assert!(nanos[jump.unwrap()] < nanos[3]);
        }
    }

    #[test]
    fn what_is_no_longer_faster_is_dropped() {
        let mut sampler = refilled(&ranking([3, 2, 1], 1));
        sampler.refill(
            &rates(),
            &[RateStatistics::default(); 16],
            &ranking([15, 14, 13], 7),
        );
        assert!(sampler.candidates[Step as usize].rates.is_empty());
        assert!(sampler.candidates[Jump as usize].rates.is_empty());
    }
}
