//! The largest value of the last rounds, from three estimates (Linux `lib/win_minmax.c`).

#[derive(Clone, Copy, Debug, Default)]
struct Estimate {
    round: u32,
    value: u64,
}

/// The best, the best since, and the best since that.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowedMax {
    window: u32,
    best: [Estimate; 3],
}

impl WindowedMax {
    /// The largest of the last `window` rounds; nothing was measured yet.
    pub fn new(window: u32) -> WindowedMax {
        WindowedMax {
            window,
            best: [Estimate::default(); 3],
        }
    }

    /// From now on the largest of so many rounds.
    pub fn remember_for(&mut self, window: u32) {
        self.window = window;
    }

    pub fn get(&self) -> u64 {
        self.best[0].value
    }

    pub fn take(&mut self, round: u32, value: u64) {
        let new = Estimate { round, value };
        let is_stale = round - self.best[2].round > self.window;
        if value >= self.best[0].value || is_stale {
            self.best = [new; 3];
            return;
        }
        if value >= self.best[1].value {
            self.best[1] = new;
            self.best[2] = new;
        } else if value >= self.best[2].value {
            self.best[2] = new;
        }
        self.age(new);
    }

    /// The best goes when it is older than the window; the others are renewed while they are the
    /// same as the one before for a quarter and a half of it.
    fn age(&mut self, new: Estimate) {
        let [best, second, third] = self.best;
        let age = new.round - best.round;
        if age > self.window {
            self.best = [second, third, new];
            if new.round - second.round > self.window {
                self.best = [third, new, new];
            }
        } else if second.round == best.round && age > self.window / 4 {
            self.best = [best, new, new];
        } else if third.round == second.round && age > self.window / 2 {
            self.best[2] = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_remembered_for_the_window() {
        let mut max = WindowedMax::new(10);
        let values = [5, 9, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4];
        let largest: Vec<u64> = (0..)
            .zip(values)
            .map(|(round, value)| {
                max.take(round, value);
                max.get()
            })
            .collect();
        assert_eq!(largest, [5, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 4, 4]);
    }

    #[test]
    fn after_a_long_silence_only_the_new_counts() {
        let mut max = WindowedMax::new(10);
        max.take(0, 9);
        max.take(20, 1);
        assert_eq!(max.get(), 1);
    }
}
