//! Numbers by which connections differ in what they do by chance.

/// The generator of Numerical Recipes (Press et al., §7.1), of which the high bits are used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CongestionRandom(pub u32);

impl CongestionRandom {
    /// A number below `end`, each as likely.
    pub fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(self.0) * u64::from(end)) >> 32) as u32
    }
}
