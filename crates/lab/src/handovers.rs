//! Handovers as a table: from which agent to which, and what registering took.

use units::Time;
use units::table::Node;

units::row! {
    /// Each change of a mobile node's agent, in the order of time.
    pub struct Handover = "handovers" {
        /// the station
        station: Node, "";
        /// the agent that it is with from then on
        agent: Node, "";
        /// when it found out, and sent its request
        found_s: Time, "s";
        /// when the reply to a request had come; NaN if none did before the next change
        registered_s: Option<Time>, "s";
    }
}
