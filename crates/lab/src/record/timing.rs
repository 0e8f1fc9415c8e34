//! Timing records as a table.

use traffic::TimingRecord;
use units::table::Flow;
use units::{Duration, Time};

use crate::ids::FlowId;

units::row! {
    /// Timing records completed in the measured time, as the console of the original has them.
    pub struct TimedRecord = "timing" {
        /// the flow's name
        flow: Flow, "";
        /// the record's place among those of its flow, from 0 on
        index: u64, "";
        /// beginning of its first transaction, from the start of the run
        start_s: Time, "s";
        /// from there to the last confirmation
        elapsed_s: Duration, "s";
        /// file bytes of its transactions
        bytes: u64, "bytes";
        /// how many transactions they were
        transactions: u32, "";
    }
}

impl TimedRecord {
    /// The rows of a flow.
    pub fn of(flow: FlowId, records: &[TimingRecord]) -> impl Iterator<Item = TimedRecord> {
        (0..).zip(records).map(move |(index, record)| TimedRecord {
            flow: flow.into(),
            index,
            start_s: record.start,
            elapsed_s: record.elapsed,
            bytes: record.bytes,
            transactions: record.transactions,
        })
    }
}
