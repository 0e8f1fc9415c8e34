//! The interleaver of the convolutional code: neighbouring bits go to distant carriers, and to places
//! of unlike worth in a point of the constellation.
//!
//! IEEE 802.11-2020, 17.3.5.7, 19.3.11.8 and 21.3.10.8; IEEE 802.11ax-2021, 27.3.12.8.

use phy::Constellation;

/// Data carriers of a symbol, and the columns in which their bits are read out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterleaverLayout {
    /// Data carriers.
    pub carriers: usize,
    columns: usize,
}

impl InterleaverLayout {
    /// 802.11a and g.
    pub const LEGACY: InterleaverLayout = InterleaverLayout::new(48, 16);
    /// 20 MHz of 802.11n and ac.
    pub const MHZ_20: InterleaverLayout = InterleaverLayout::new(52, 13);
    /// 40 MHz of those.
    pub const MHZ_40: InterleaverLayout = InterleaverLayout::new(108, 18);
    /// 80 MHz of 802.11ac, each half of its 160 MHz, and 20 MHz of 802.11ax.
    pub const MHZ_80: InterleaverLayout = InterleaverLayout::new(234, 26);

    const fn new(carriers: usize, columns: usize) -> InterleaverLayout {
        InterleaverLayout { carriers, columns }
    }

    /// The places in a symbol to which its bits go, one after the other.
    pub fn places(self, constellation: Constellation) -> Vec<usize> {
        let bits = constellation.bits() as usize;
        let [coded, group] = [self.carriers * bits, (bits / 2).max(1)];
        let rows = coded / self.columns;
        let place = |bit: usize| {
            let apart = rows * (bit % self.columns) + bit / self.columns;
            let turn = apart + coded - self.columns * apart / coded;
            group * (apart / group) + turn % group
        };
        (0..coded).map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Annex I.1 of IEEE 802.11-2020 sends an example at 36 Mbit/s: 16-QAM, 192 bits in a symbol.
    /// The first bits go to places 0, 13, 24, 37 by the two permutations.
    #[test]
    fn bits_of_16_qam_in_802_11a_go_where_the_standard_says() {
        let places = InterleaverLayout::LEGACY.places(Constellation::Qam16);
        assert_eq!(places[..5], [0, 13, 24, 37, 48]);
        assert_eq!(places[16..19], [1, 12, 25]);
    }

    #[test]
    fn every_place_is_taken_once() {
        let layouts = [
            InterleaverLayout::LEGACY,
            InterleaverLayout::MHZ_20,
            InterleaverLayout::MHZ_40,
            InterleaverLayout::MHZ_80,
        ];
        for layout in layouts {
            for constellation in [
                Constellation::Bpsk,
                Constellation::Qam64,
                Constellation::Qam1024,
            ] {
                let mut places = layout.places(constellation);
                places.sort_unstable();
                assert!(
                    places
                        .into_iter()
                        .eq(0..layout.carriers * constellation.bits() as usize)
                );
            }
        }
    }
}
