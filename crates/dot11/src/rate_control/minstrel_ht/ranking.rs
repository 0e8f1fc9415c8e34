//! Which rates are best: in throughput, in each group and of all, and in probability.

use core::cmp::Reverse;
use core::ops::Range;

use super::groups::Rates;
use super::statistics::{RateStatistics, percent};

/// How many of the best in throughput there are.
pub(super) const BEST: usize = 3;

/// The ranks at an update.
#[derive(Clone, Debug)]
pub(super) struct Ranking {
    /// The rates with most throughput, the best one first.
    pub(super) best: [usize; BEST],
    /// The best two of each group.
    pub(super) of_groups: Vec<[usize; 2]>,
    /// The one that arrives most surely, of those that yield something.
    pub(super) surest: usize,
}

impl Ranking {
    /// Nothing is known: the slowest rate of all, and of each group.
    pub(super) fn new(rates: &Rates) -> Ranking {
        let slowest = rates.groups.iter().map(|group| [group.rates.start; 2]);
        Ranking {
            best: [0; BEST],
            of_groups: slowest.collect(),
            surest: 0,
        }
    }

    /// Ranks what is known, packets going in aggregates so long.
    pub(super) fn of(rates: &Rates, tracks: &[RateStatistics], aggregate: u32) -> Ranking {
        let known = RankingFacts {
            rates,
            tracks,
            aggregate,
        };
        let mut ranking = Ranking::new(rates);
        known.fill(0..rates.modes.len(), &mut ranking.best);
        for (group, best) in rates.groups.iter().zip(&mut ranking.of_groups) {
            known.fill(group.rates.clone(), best);
        }
        ranking.surest = known.surest(ranking.best[0]);
        ranking
    }

    /// Goes down to the best rate of the group before that has no more streams: what more streams gave is
    /// gone at once where paths have become alike.
    pub(super) fn step_down(&mut self, rates: &Rates, place: usize) {
        let group = rates.group_of(self.best[place]);
        let most = rates.groups[group].streams;
        let before = (0..group)
            .rev()
            .find(|&lower| rates.groups[lower].streams <= most);
        if let Some(lower) = before {
            self.best[place] = self.of_groups[lower][place];
        }
    }
}

/// What ranks follow from.
struct RankingFacts<'a> {
    rates: &'a Rates,
    tracks: &'a [RateStatistics],
    aggregate: u32,
}

impl RankingFacts<'_> {
    fn throughput(&self, rate: usize) -> u32 {
        let probability = self.tracks[rate].probability;
        let rates = self.rates;
        rates
            .overhead
            .throughput(rates.nanos[rate], self.aggregate, probability)
    }

    /// Puts the best rates of some in the place of what stands there, those that yield anything.
    fn fill(&self, of: Range<usize>, best: &mut [usize]) {
        let mut yields: Vec<_> = of
            .map(|rate| {
                (
                    Reverse((self.throughput(rate), self.tracks[rate].probability)),
                    Reverse(rate),
                )
            })
            .filter(|&(Reverse((throughput, _)), _)| throughput > 0)
            .collect();
        yields.sort_unstable();
        for (place, (_, Reverse(rate))) in best.iter_mut().zip(yields) {
            *place = rate;
        }
    }

    /// The surest rate: that of the group with fewer streams than the best rate that yields most, else
    /// that of all.
    fn surest(&self, best: usize) -> usize {
        let of_groups = self.rates.groups.iter().map(|group| {
            let surest = self.surer(group.rates.start, group.rates.clone(), best);
            (group.streams, surest)
        });
        let streams = self.rates.modes[best].streams();
        let fewer = of_groups.filter(|&(own, _)| own < streams);
        let yields = fewer.map(|(_, rate)| (self.throughput(rate), rate));
        let most = yields
            .filter(|&(throughput, _)| throughput > 0)
            .max_by_key(|&(throughput, rate)| (throughput, Reverse(rate)));
        match most {
            Some((_, rate)) => rate,
            None => self.surer(0, 0..self.rates.modes.len(), best),
        }
    }

    /// The surest of some rates, from one that stands if none is better: of those above 75 % the one that
    /// yields most. One faster than the best has to be as sure as that.
    fn surer(&self, stands: usize, of: Range<usize>, best: usize) -> usize {
        let probability = |rate: usize| self.tracks[rate].probability;
        let counts = |&rate: &usize| {
            self.rates.nanos[rate] >= self.rates.nanos[best]
                || probability(rate) >= probability(best)
        };
        of.filter(counts).fold(stands, |surest, rate| {
            let is_surer = match probability(rate) > percent(75) {
                true => self.throughput(rate) > self.throughput(surest),
                false => probability(rate) > probability(surest),
            };
            if is_surer { rate } else { surest }
        })
    }
}

#[cfg(test)]
mod tests {
    use phy::{GuardInterval, Mode, Width};

    use super::*;

    /// One group of eight, or two of them with one and two streams.
    fn rates(highest: u8) -> Rates {
        Rates::up_to(Mode::ht(highest, Width::Mhz20, GuardInterval::Ns800))
    }

    fn ranking(highest: u8, percents: &[u32]) -> Ranking {
        let tracks = percents.iter().map(|&of_hundred| {
            let mut track = RateStatistics::default();
            track.add(of_hundred, 100 - of_hundred);
            track.update(0);
            track
        });
        Ranking::of(&rates(highest), &tracks.collect::<Vec<_>>(), 16)
    }

    #[test]
    fn the_best_yield_most_and_the_surest_loses_little() {
        let of = ranking(7, &[100, 100, 100, 100, 95, 80, 40, 0]);
        assert_eq!(of.best, [5, 4, 3]);
        assert_eq!(of.surest, 5, "above 75 % the throughput says");
        let of = ranking(7, &[100, 100, 100, 100, 95, 70, 40, 0]);
        assert_eq!((of.best, of.surest), ([5, 4, 3], 4));
    }

    #[test]
    fn where_nothing_arrives_the_slowest_goes() {
        let of = ranking(7, &[0; 8]);
        assert_eq!((of.best, of.surest), ([0; 3], 0));
        let of = ranking(7, &[60, 50, 9, 0, 0, 0, 0, 0]);
        assert_eq!((of.best, of.surest), ([1, 0, 0], 0));
    }

    #[test]
    fn the_surest_has_fewer_streams_than_the_best() {
        let percents = [[100; 8], [100; 8]].concat();
        let of = ranking(15, &percents);
        assert_eq!(of.best, [15, 14, 13]);
        assert_eq!(of.surest, 7);
    }

    #[test]
    fn a_step_down_leaves_the_streams_that_failed() {
        let percents = [[100; 8], [100; 8]].concat();
        let mut of = ranking(15, &percents);
        of.step_down(&rates(15), 0);
        assert_eq!(of.best, [7, 14, 13]);
        of.step_down(&rates(15), 0);
        assert_eq!(of.best[0], 7, "there is no group before it");
    }
}
