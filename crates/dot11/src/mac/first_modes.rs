//! The mode in which the last MSDU to each receiver was first tried.

use phy::Mode;

use crate::frame::Address;

/// A table of receivers by address; it grows when a new one is sent to and never after.
#[derive(Clone, Debug, Default)]
pub(super) struct FirstModes(Vec<Option<Mode>>);

impl FirstModes {
    /// Notes the first attempt of an MSDU; whether the one before had another mode.
    #[inline]
    pub(super) fn changes(&mut self, to: Address, mode: Mode) -> bool {
        match self.0.get_mut(usize::from(to.0)) {
            Some(last) => last.replace(mode).is_some_and(|last| last != mode),
            None => self.begin(to, mode),
        }
    }

    #[cold]
    fn begin(&mut self, to: Address, mode: Mode) -> bool {
        let index = usize::from(to.0);
        self.0.resize(index + 1, None);
        self.0[index] = Some(mode);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_have_rates_of_their_own() {
        let mut modes = FirstModes::default();
        let sent = [
            (1, Mode::CCK_11),
            (2, Mode::DSSS_2),
            (1, Mode::CCK_11),
            (2, Mode::CCK_5_5),
            (2, Mode::CCK_5_5),
        ];
        let changes = sent.map(|(to, mode)| modes.changes(Address(to), mode));
        assert_eq!(changes, [false, false, false, true, false]);
    }
}
