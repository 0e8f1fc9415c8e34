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

/// Who acts next of each of many groups, and of them all: a tournament, in which a group that
/// changes meets as many others as the number of groups has bits.
#[derive(Debug)]
pub struct Firsts {
    /// At 1 the first of all; at each place the sooner of those at twice that place and behind it,
    /// down to the groups, which are the second half.
    sooner: Vec<Next>,
}

impl Firsts {
    /// So many groups in which nobody will act. None, where there is no radio, is as one.
    pub fn nobody(groups: usize) -> Firsts {
        Firsts {
            sooner: vec![Next::NOBODY; 2 * groups.max(1)],
        }
    }

    /// The first of all groups.
    #[inline]
    pub fn first(&self) -> Next {
        self.sooner[1]
    }

    /// In a group another one acts next.
    #[inline]
    pub fn set(&mut self, group: usize, next: Next) {
        let mut at = self.sooner.len() / 2 + group;
        self.sooner[at] = next;
        while at > 1 {
            let other = self.sooner[at ^ 1];
            let sooner = self.sooner[at].or(other.at, other.radio);
            at /= 2;
            if self.sooner[at] == sooner {
                return;
            }
            self.sooner[at] = sooner;
        }
    }

    /// One group more, in which nobody will act.
    pub fn add(&mut self) {
        let groups = self.sooner.split_off(self.sooner.len() / 2);
        *self = Firsts::nobody(groups.len() + 1);
        for (group, next) in groups.into_iter().enumerate() {
            self.set(group, next);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn where_there_is_no_group_nobody_is_first() {
        assert_eq!(Firsts::nobody(0).first(), Next::NOBODY);
    }

    proptest! {
        #[test]
        fn the_first_of_all_is_the_soonest_the_lowest_among_equals(
            groups in 1..9_usize,
            changes in prop::collection::vec((0..9_usize, 0..5_u64, any::<bool>()), 1..40),
        ) {
            let mut firsts = Firsts::nobody(groups);
            let mut known = vec![Next::NOBODY; groups];
            for (group, at, adds) in changes {
                if adds {
                    firsts.add();
                    known.push(Next::NOBODY);
                }
                let radio = group % known.len();
                let next = Next { at: Time::from_nanos(at), radio };
                firsts.set(radio, next);
                known[radio] = next;
                let first = known.iter().min_by_key(|next| (next.at, next.radio));
                prop_assert_eq!(Some(firsts.first()), first.copied());
            }
        }
    }
}
