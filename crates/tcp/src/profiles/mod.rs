//! Stack profiles: the TCP of a real host as a set of numbers, each with its source.
//!
//! A profile is one file beside this one and one line in the table below.

use serde::{Deserialize, Serialize};

use crate::congestion::{CongestionAlgorithm, InitialWindow, WindowValidation};
use crate::recovery::RecoveryAlgorithm;
use crate::rtt::RtoEstimator;

mod bsd_4_4;
mod freebsd_4_9;
mod linux_2_4;
mod linux_6;
mod rfc;
mod windows_2000;
mod windows_xp;

/// Everything in which one host's TCP differs from another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The largest segment sent and announced, before options.
    pub mss_bytes: u32,
    /// The largest window advertised: the receive buffer, where it does not count memory.
    pub receive_window_bytes: u32,
    /// The memory a receive buffer that counts memory begins with; 0 where it does not.
    pub receive_buffer_bytes: u32,
    /// The memory it may grow to.
    pub receive_buffer_max_bytes: u32,
    /// The send buffer: what a write accepts beyond what is acknowledged.
    pub send_buffer_bytes: u32,
    /// Whether window scaling is offered and accepted.
    pub window_scaling: bool,
    /// The least shift offered: what the largest buffer the stack may grow to needs.
    pub window_shift_min: u32,
    /// Whether timestamps are offered and accepted.
    pub timestamps: bool,
    /// How long the timestamp clock's tick is.
    pub timestamp_tick_ms: u32,
    /// Whether SACK is offered and accepted.
    pub sack: bool,
    /// Loss recovery of the sender.
    pub recovery: RecoveryAlgorithm,
    /// Whether a silent tail is probed before the timeout (RFC 8985 §7; only with `rack`).
    pub tail_loss_probe: bool,
    /// The most segments handed to the interface at once, for it to split (only with `rack`); 1
    /// where it splits nothing.
    pub offload_segments: u32,
    /// Congestion control of the sender.
    pub congestion_control: CongestionAlgorithm,
    /// The congestion window a connection starts with.
    pub initial_window: InitialWindow,
    /// Whether congestion avoidance counts acknowledged bytes (true) or acknowledgements.
    pub byte_counting: bool,
    /// Whether CUBIC's window is counted in whole segments, by Linux's integers.
    pub counts_segments: bool,
    /// Whether slow start ends where the path seems full (HyStart; only with `counts_segments`).
    pub hystart: bool,
    /// The most segments one acknowledgement adds in slow start (L of RFC 3465); 0 sets no limit.
    pub slow_start_limit_segments: u32,
    /// What must be true of a window for it to grow.
    pub window_validation: WindowValidation,
    /// Whether a loss leaves a share of the congestion window (true) or of what is in flight.
    pub reduces_window: bool,
    /// Whether the window falls back to the initial one after an idle time.
    pub restart_after_idle: bool,
    /// Whether that fall is by half for each timeout of idleness (RFC 2861) or at once.
    pub decays_when_idle: bool,
    /// How many duplicate acknowledgements speak for a loss.
    pub duplicate_ack_threshold: u32,
    /// How far that number may grow when segments turn out to have been reordered.
    pub reordering_max: u32,
    /// Whether the first duplicate acknowledgements release new segments.
    pub limited_transmit: bool,
    /// Whether duplicates are reported by SACK, and such reports undo what was done in vain.
    pub dsack: bool,
    /// Whether a first retransmission timeout tries whether it was spurious (F-RTO).
    pub frto: bool,
    /// Whether timestamps that tell of a spurious retransmission undo its consequences.
    pub timestamp_undo: bool,
    /// Whether Nagle's algorithm is on.
    pub nagle: bool,
    /// Whether Nagle's algorithm waits for small segments only (Minshall) or for any.
    pub nagle_small_only: bool,
    /// How long an acknowledgement may be held back.
    pub delayed_ack_ms: u32,
    /// How long at least, where the delay follows the pace of arrivals; as `delayed_ack_ms`
    /// where it does not.
    pub delayed_ack_min_ms: u32,
    /// How many acknowledgements at a connection's start, or after a pause, are not delayed.
    pub quick_acks: u32,
    /// How many data segments are acknowledged without delay.
    pub delayed_ack_segments: u32,
    /// How long acknowledgements beyond the third for one gap may be gathered; 0 for not at all.
    pub compressed_ack_us: u32,
    /// The least time between two answers to segments that are not valid; 0 for none.
    pub invalid_answer_interval_ms: u32,
    /// Whether the reset that ends a connection also acknowledges what has arrived.
    pub resets_acknowledge: bool,
    /// The retransmission timeout before anything is measured.
    pub rto_initial_ms: u32,
    /// The least retransmission timeout.
    pub rto_min_ms: u32,
    /// The largest retransmission timeout, backed off or not.
    pub rto_max_ms: u32,
    /// The clock granularity: by RFC 6298 the least margin over the smoothed round-trip time, by
    /// Linux what a timeout is rounded up to.
    pub rto_granularity_ms: u32,
    /// How the timeout is calculated from round-trip times.
    pub rto_estimator: RtoEstimator,
    /// What is added to every calculated timeout.
    pub rto_slop_ms: u32,
    /// The tick that round-trip times are counted in, by the estimators that count ticks.
    pub rtt_tick_us: u32,
    /// Whether the round-trip time of every segment is measured, or of one at a time.
    pub rtt_of_every_segment: bool,
    /// The tick on which retransmission timers expire; 0 for a timer that needs none.
    pub timer_tick_ms: u32,
    /// The timeout data begin with when the SYN had to be sent again.
    pub rto_after_syn_loss_ms: u32,
    /// The longest time between two probes of a closed window.
    pub persist_max_ms: u32,
    /// Whether a probe of a closed window carries a byte of data or none.
    pub probes_with_data: bool,
    /// How often a SYN is sent again before giving up.
    pub syn_retries: u32,
    /// How often a SYN-ACK is sent again before giving up.
    pub syn_ack_retries: u32,
    /// How many waits for a SYN's answer pass before they begin to double.
    pub syn_linear_timeouts: u32,
    /// How often a segment is sent again by timeout before giving up.
    pub data_retries: u32,
    /// Whether that number stands for the time so many retries would take at the least timeout.
    pub data_retries_as_time: bool,
    /// How long TIME-WAIT lasts, 2 MSL.
    pub time_wait_ms: u32,
    /// How long FIN-WAIT-2 lasts after a close; 0 for ever.
    pub fin_wait2_ms: u32,
    /// How long a connection with keep-alive is silent before it is probed.
    pub keep_alive_idle_ms: u32,
    /// The time between two keep-alive probes.
    pub keep_alive_interval_ms: u32,
    /// How many unanswered keep-alive probes end a connection.
    pub keep_alive_probes: u32,
}

/// Where a profile's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterDoc {
    /// The field's name in [`Profile`].
    pub field: &'static str,
    /// The unit of the value; "" for a choice, a switch or a count.
    pub unit: &'static str,
    /// The clause, document or reasoning the value comes from.
    pub source: &'static str,
}

const fn doc(field: &'static str, unit: &'static str, source: &'static str) -> ParameterDoc {
    ParameterDoc {
        field,
        unit,
        source,
    }
}

struct Entry {
    name: &'static str,
    profile: Profile,
    sources: &'static [ParameterDoc],
}

const TABLE: [Entry; 7] = [
    Entry {
        name: "bsd-4.4",
        profile: bsd_4_4::PROFILE,
        sources: &bsd_4_4::SOURCES,
    },
    Entry {
        name: "freebsd-4.9",
        profile: freebsd_4_9::PROFILE,
        sources: &freebsd_4_9::SOURCES,
    },
    Entry {
        name: "linux-2.4",
        profile: linux_2_4::PROFILE,
        sources: &linux_2_4::SOURCES,
    },
    Entry {
        name: "linux-6",
        profile: linux_6::PROFILE,
        sources: &linux_6::SOURCES,
    },
    Entry {
        name: "rfc",
        profile: rfc::PROFILE,
        sources: &rfc::SOURCES,
    },
    Entry {
        name: "windows-2000",
        profile: windows_2000::PROFILE,
        sources: &windows_2000::SOURCES,
    },
    Entry {
        name: "windows-xp",
        profile: windows_xp::PROFILE,
        sources: &windows_xp::SOURCES,
    },
];

const NAMES: [&str; TABLE.len()] = {
    let mut names = [""; TABLE.len()];
    let mut i = 0;
    while i < TABLE.len() {
        names[i] = TABLE[i].name;
        i += 1;
    }
    names
};

fn entry(name: &str) -> Option<&'static Entry> {
    static ENTRIES: [Entry; TABLE.len()] = TABLE;
    ENTRIES.iter().find(|entry| entry.name == name)
}

/// The profile of this name.
pub fn profile(name: &str) -> Option<Profile> {
    entry(name).map(|entry| entry.profile)
}

/// The names of all profiles, sorted.
pub fn profile_names() -> &'static [&'static str] {
    &NAMES
}

/// The unit and source of every value of the profile of this name, in the order of the
/// fields; empty if there is no such profile.
pub fn describe(name: &str) -> Vec<ParameterDoc> {
    entry(name).map_or_else(Vec::new, |entry| entry.sources.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn as_json(name: &str) -> serde_json::Map<String, serde_json::Value> {
        let json = serde_json::to_value(profile(name).unwrap()).unwrap();
        json.as_object().unwrap().clone()
    }

    #[test]
    fn every_value_of_every_profile_has_a_unit_and_a_source() {
        for name in profile_names() {
            let docs = describe(name);
            let described: Vec<_> = docs.iter().map(|d| d.field).collect();
            let text = serde_json::to_string(&profile(name).unwrap()).unwrap();
            let places = described
                .iter()
                .map(|field| text.find(&format!("\"{field}\":")));
            assert!(places.is_sorted(), "{name}: in the order of the fields");
            let mut sorted = described.clone();
            sorted.sort_unstable();
            let fields = as_json(name);
            assert_eq!(sorted, fields.keys().collect::<Vec<_>>(), "{name}");
            for d in docs {
                assert!(d.source.len() > 7, "{name}.{} has no source", d.field);
                for (suffix, unit) in [("_ms", "ms"), ("_us", "us"), ("_bytes", "bytes")] {
                    assert_eq!(
                        d.field.ends_with(suffix),
                        d.unit == unit,
                        "{name}.{}",
                        d.field
                    );
                }
            }
        }
    }

    #[test]
    fn a_profile_travels_through_json_unchanged() {
        for name in profile_names() {
            let original = profile(name).unwrap();
            let text = serde_json::to_string(&original).unwrap();
            assert_eq!(serde_json::from_str::<Profile>(&text).unwrap(), original);
        }
    }

    #[test]
    fn algorithms_are_named_in_lower_case() {
        let json = as_json("rfc");
        assert_eq!(json["recovery"], "sack");
        assert_eq!(json["congestion_control"], "reno");
        assert_eq!(json["initial_window"], "rfc5681");
        assert_eq!(as_json("windows-xp")["initial_window"]["segments"], 2);
        assert_eq!(as_json("linux-6")["rto_estimator"], "linux");
        assert_eq!(as_json("linux-6")["window_validation"], "linux");
        let newreno = serde_json::to_value(RecoveryAlgorithm::NewReno).unwrap();
        assert_eq!(newreno, "newreno");
    }

    #[test]
    fn an_unknown_field_and_a_missing_one_are_refused() {
        let mut json = as_json("rfc");
        json.insert("colour".into(), "blue".into());
        let error = serde_json::from_value::<Profile>(json.into()).unwrap_err();
        assert!(error.to_string().contains("colour"));
        let mut json = as_json("rfc");
        json.remove("nagle");
        let error = serde_json::from_value::<Profile>(json.into()).unwrap_err();
        assert!(error.to_string().contains("nagle"));
    }

    #[test]
    fn names_are_sorted_and_known() {
        assert!(profile_names().is_sorted());
        assert!(profile_names().iter().all(|name| profile(name).is_some()));
        assert_eq!(profile("solaris-2.6"), None);
        assert!(describe("solaris-2.6").is_empty());
    }

    /// Except in the BSDs, whose small send buffer is known and is a limit of theirs.
    #[test]
    fn the_profiles_keep_a_window_of_64_kb_full() {
        for name in profile_names().iter().filter(|name| !name.contains("bsd")) {
            assert!(
                profile(name).unwrap().send_buffer_bytes >= 2 * 65_535,
                "{name}"
            );
        }
    }
}
