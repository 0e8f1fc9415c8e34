//! Data with a deadline: the amount sent, and the amount that came in time.

/// Each end counts what it sent,
pub const SENT: usize = 0;
/// and what came of the other's in time.
pub const IN_TIME: usize = 1;

/// The share that was not in time; those on their way where counting begins are no more than those
/// where it ends.
pub fn missed(sent: u64, in_time: u64) -> Option<f64> {
    (sent > 0).then(|| (1.0 - in_time as f64 / sent as f64).max(0.0))
}
