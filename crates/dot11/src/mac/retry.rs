//! Retry counters and the contention window (IEEE 802.11-2007 §9.2.4, §9.2.5.3).

use super::DropCause;

/// Which counter a frame uses: by its length against the RTS threshold, an RTS being short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RetryClass {
    Short,
    Long,
}

/// The retry counters of the MSDU in service.
///
/// A success resets the counter of its own class only, so that a CTS does not forgive the loss of
/// the long frame behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RetryCounters {
    short: u8,
    long: u8,
}

impl RetryCounters {
    pub(super) const NONE: RetryCounters = RetryCounters { short: 0, long: 0 };

    /// Counts a failure; the cause of the drop when the limit is reached.
    pub(super) fn fail(&mut self, class: RetryClass, limits: RetryLimits) -> Option<DropCause> {
        let (count, limit, cause) = match class {
            RetryClass::Short => (&mut self.short, limits.short, DropCause::ShortRetryLimit),
            RetryClass::Long => (&mut self.long, limits.long, DropCause::LongRetryLimit),
        };
        *count += 1;
        (*count >= limit).then_some(cause)
    }

    pub(super) fn succeed(&mut self, class: RetryClass) {
        match class {
            RetryClass::Short => self.short = 0,
            RetryClass::Long => self.long = 0,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RetryLimits {
    pub(super) short: u8,
    pub(super) long: u8,
}

/// The next contention window: the sequence of powers of two minus one, up to CWmax.
pub(super) fn widen(cw: u16, cw_max: u16) -> u16 {
    (cw.saturating_mul(2).saturating_add(1)).min(cw_max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_doubles_up_to_its_maximum() {
        let windows: Vec<u16> = core::iter::successors(Some(31), |&cw| Some(widen(cw, 1023)))
            .take(7)
            .collect();
        assert_eq!(windows, [31, 63, 127, 255, 511, 1023, 1023]);
    }

    #[test]
    fn seven_short_attempts_or_four_long_ones() {
        let limits = RetryLimits { short: 7, long: 4 };
        let attempts = |class| {
            let mut counters = RetryCounters::NONE;
            (1..)
                .find(|_| counters.fail(class, limits).is_some())
                .unwrap()
        };
        assert_eq!(
            (attempts(RetryClass::Short), attempts(RetryClass::Long)),
            (7, 4)
        );
    }

    #[test]
    fn a_cts_does_not_forgive_the_loss_of_the_data_behind_it() {
        let limits = RetryLimits { short: 7, long: 4 };
        let mut counters = RetryCounters::NONE;
        for _ in 0..3 {
            counters.succeed(RetryClass::Short);
            assert_eq!(counters.fail(RetryClass::Long, limits), None);
        }
        let last = counters.fail(RetryClass::Long, limits);
        assert_eq!(last, Some(DropCause::LongRetryLimit));
    }
}
