//! Stack profiles: the TCP of a real host as a set of numbers, each with its source.
//!
//! A profile is one file beside this one and one line in the table below.

use crate::EcnUse;
use crate::congestion::{CongestionAlgorithm, InitialWindow};
use crate::send::Nagle;

mod android;
mod bsd_4_4;
mod families;
mod fields;
mod freebsd_4_9;
mod linux_2_4;
mod linux_6;
mod macos;
mod ns_2;
mod rfc;
mod windows_11;
mod windows_2000;
mod windows_xp;

pub use families::{
    BsdStack, ClassicSender, Family, Linux2Stack, LinuxKernel, LinuxStack, MtuProbing,
    MtuProbingUse, StandardStack,
};
pub use fields::ProfileField;
use fields::part;

part! {
    /// Everything in which one host's TCP differs from another's: what any stack is set by, and what
    /// its family alone is.
    pub struct Profile {
        /// The largest segment sent and announced, before options.
        pub mss_bytes: u32,
        /// The largest window advertised: the receive buffer, where it does not count memory.
        pub receive_window_bytes: u32,
        /// The send buffer: what a write accepts beyond what is acknowledged.
        pub send_buffer_bytes: u32,
        /// True if window scaling is offered and accepted.
        pub window_scaling: bool,
        /// The least shift offered: what the largest buffer the stack may grow to needs.
        pub window_shift_min: u32,
        /// True if timestamps are offered and accepted.
        pub timestamps: bool,
        /// Length of the timestamp clock's tick.
        pub timestamp_tick_ms: u32,
        /// True if SACK is offered and accepted.
        pub sack: bool,
        /// Congestion control of the sender.
        pub congestion_control: CongestionAlgorithm,
        /// The congestion window a connection starts with.
        pub initial_window: InitialWindow,
        /// The most segments that the congestion window may grow to; 0 for no limit.
        pub congestion_window_max_segments: u32,
        /// True if the congestion window falls back to the initial one after an idle timeout.
        pub restart_after_idle: bool,
        /// True if segments are spaced over the round trip, whatever the congestion control; BBR
        /// spaces them anyway.
        pub pacing: bool,
        /// Number of duplicate acknowledgements that speak for a loss.
        pub duplicate_ack_threshold: u32,
        /// Limit to that number's growth when segments turn out to have been reordered.
        pub reordering_max: u32,
        /// True if duplicates are reported by SACK (RFC 2883), and such reports undo what was done
        /// in vain.
        pub dsack: bool,
        /// Use of explicit congestion notification (RFC 3168): never, whenever the peer has it, or
        /// where the peer asks for it.
        pub ecn: EcnUse,
        /// True if a first retransmission timeout tries whether it was spurious (F-RTO, RFC 5682).
        pub frto: bool,
        /// Event that a short segment waits for while data are outstanding: nothing, any of them
        /// (RFC 896) or a short one (Minshall).
        pub nagle: Nagle,
        /// Time that an acknowledgement may be held back.
        pub delayed_ack_ms: u32,
        /// Number of data segments that are acknowledged without delay.
        pub delayed_ack_segments: u32,
        /// The least time between two answers to segments that are not valid; 0 for none.
        pub invalid_answer_interval_ms: u32,
        /// True if the reset that ends a connection also acknowledges what has arrived.
        pub resets_acknowledge: bool,
        /// The retransmission timeout before anything is measured.
        pub rto_initial_ms: u32,
        /// The least retransmission timeout.
        pub rto_min_ms: u32,
        /// The largest retransmission timeout, backed off or not.
        pub rto_max_ms: u32,
        /// The timeout data begin with when the SYN had to be retransmitted.
        pub rto_after_syn_loss_ms: u32,
        /// The longest time between two probes of a closed window.
        pub persist_max_ms: u32,
        /// True if a probe of a closed window carries a byte of data; it carries none otherwise.
        pub probes_with_data: bool,
        /// Number of times a SYN is retransmitted before giving up.
        pub syn_retries: u32,
        /// Number of times a SYN-ACK is retransmitted before giving up.
        pub syn_ack_retries: u32,
        /// Number of waits for a SYN's answer before they begin to double.
        pub syn_linear_timeouts: u32,
        /// Number of times a segment is retransmitted by timeout before giving up; of today's Linux
        /// the time that so many would take at the least timeout.
        pub data_retries: u32,
        /// Duration of TIME-WAIT, 2 MSL.
        pub time_wait_ms: u32,
        /// Duration of FIN-WAIT-2 after a close; 0 for ever.
        pub fin_wait2_ms: u32,
        /// Silence of a connection with keep-alive before it is probed.
        pub keep_alive_idle_ms: u32,
        /// The time between two keep-alive probes.
        pub keep_alive_interval_ms: u32,
        /// Number of unanswered keep-alive probes that end a connection.
        pub keep_alive_probes: u32,
        with
        /// Mechanisms of the stack, with the parameters that they alone have.
        pub family: Family,
    }
}

/// Where a profile's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterDoc {
    /// The field's name.
    pub field: &'static str,
    /// The clause, document or reasoning the value comes from.
    pub source: &'static str,
}

const fn doc(field: &'static str, source: &'static str) -> ParameterDoc {
    ParameterDoc { field, source }
}

/// The sources of a profile that has the values of another but for some.
const fn with_sources<const N: usize>(
    of: &[ParameterDoc],
    instead: &[ParameterDoc],
) -> [ParameterDoc; N] {
    assert!(of.len() == N, "a source for each field");
    let mut sources = [of[0]; N];
    let mut found = 0;
    let mut i = 0;
    while i < N {
        sources[i] = of[i];
        let mut j = 0;
        while j < instead.len() {
            if is_same(instead[j].field, of[i].field) {
                sources[i] = instead[j];
                found += 1;
            }
            j += 1;
        }
        i += 1;
    }
    assert!(found == instead.len(), "each is a field of the other");
    sources
}

/// Returns whether two names are the same; `==` is no constant function.
const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut is_same = a.len() == b.len();
    let mut i = 0;
    while is_same && i < a.len() {
        is_same = a[i] == b[i];
        i += 1;
    }
    is_same
}

struct ProfileEntry {
    name: &'static str,
    profile: Profile,
    sources: &'static [ParameterDoc],
}

const TABLE: [ProfileEntry; 11] = [
    ProfileEntry {
        name: "android",
        profile: android::PROFILE,
        sources: android::SOURCES,
    },
    ProfileEntry {
        name: "bsd-4.4",
        profile: bsd_4_4::PROFILE,
        sources: bsd_4_4::SOURCES,
    },
    ProfileEntry {
        name: "freebsd-4.9",
        profile: freebsd_4_9::PROFILE,
        sources: freebsd_4_9::SOURCES,
    },
    ProfileEntry {
        name: "linux-2.4",
        profile: linux_2_4::PROFILE,
        sources: linux_2_4::SOURCES,
    },
    ProfileEntry {
        name: "linux-6",
        profile: linux_6::PROFILE,
        sources: linux_6::SOURCES,
    },
    ProfileEntry {
        name: "macos",
        profile: macos::PROFILE,
        sources: macos::SOURCES,
    },
    ProfileEntry {
        name: "ns-2",
        profile: ns_2::PROFILE,
        sources: ns_2::SOURCES,
    },
    ProfileEntry {
        name: "rfc",
        profile: rfc::PROFILE,
        sources: rfc::SOURCES,
    },
    ProfileEntry {
        name: "windows-11",
        profile: windows_11::PROFILE,
        sources: windows_11::SOURCES,
    },
    ProfileEntry {
        name: "windows-2000",
        profile: windows_2000::PROFILE,
        sources: windows_2000::SOURCES,
    },
    ProfileEntry {
        name: "windows-xp",
        profile: windows_xp::PROFILE,
        sources: windows_xp::SOURCES,
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

fn entry(name: &str) -> Option<&'static ProfileEntry> {
    static ENTRIES: [ProfileEntry; TABLE.len()] = TABLE;
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

/// The source of every value of the profile of this name, in the order of the fields; empty if
/// there is no such profile.
pub fn describe(name: &str) -> &'static [ParameterDoc] {
    entry(name).map_or(&[], |entry| entry.sources)
}

/// All fields that any profile has, each once.
pub fn profile_fields() -> Vec<ProfileField> {
    let mut fields = Profile::FIELDS.to_vec();
    fields.push(Family::FIELD);
    fields.extend(Family::fields());
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn as_json(name: &str) -> serde_json::Map<String, serde_json::Value> {
        let json = serde_json::to_value(profile(name).unwrap()).unwrap();
        json.as_object().unwrap().clone()
    }

    #[test]
    fn every_value_of_every_profile_has_a_source() {
        for name in profile_names() {
            let text = serde_json::to_string(&profile(name).unwrap()).unwrap();
            let described: Vec<_> = describe(name).iter().map(|d| d.field).collect();
            let places = described
                .iter()
                .map(|field| text.find(&format!("\"{field}\":")));
            assert!(places.is_sorted(), "{name}: in the order of the fields");
            let mut sorted = described.clone();
            sorted.sort_unstable();
            let fields = as_json(name);
            assert_eq!(sorted, fields.keys().collect::<Vec<_>>(), "{name}");
            for d in describe(name) {
                assert!(d.source.len() > 7, "{name}.{} has no source", d.field);
            }
        }
    }

    #[test]
    fn every_field_has_a_meaning_and_some_profile() {
        let mut used: Vec<_> = profile_names()
            .iter()
            .flat_map(|name| describe(name))
            .collect();
        used.sort_by_key(|doc| doc.field);
        used.dedup_by_key(|doc| doc.field);
        let mut fields = profile_fields();
        fields.sort_by_key(|field| field.name);
        let names: Vec<_> = fields.iter().map(|field| field.name).collect();
        assert_eq!(names, used.iter().map(|doc| doc.field).collect::<Vec<_>>());
        for field in fields {
            let is_sentence = field.meaning.ends_with('.') && !field.meaning.starts_with(' ');
            assert!(is_sentence, "{}: {:?}", field.name, field.meaning);
        }
    }

    #[test]
    fn a_choice_is_declared_with_all_its_names() {
        for field in profile_fields() {
            for choice in field.choices {
                let has = |name: &&&str| as_json(name).contains_key(field.name);
                let mut json = as_json(profile_names().iter().find(has).unwrap());
                json.insert(field.name.to_owned(), (*choice).into());
                let profile: Profile = serde_json::from_value(json.into()).unwrap();
                assert_eq!(serde_json::to_value(profile).unwrap()[field.name], *choice);
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
    fn a_profile_is_one_table_and_begins_with_what_any_stack_has() {
        let json = as_json("rfc");
        assert_eq!(
            (&json["family"], &json["recovery"]),
            (&"standard".into(), &"sack".into())
        );
        assert_eq!(json["initial_window"], "rfc5681");
        assert_eq!(as_json("windows-xp")["initial_window"]["segments"], 2);
        assert_eq!(as_json("linux-6")["family"], "linux");
    }

    #[test]
    fn a_field_of_another_family_is_refused() {
        for (name, field) in [
            ("linux-6", "recovery"),
            ("rfc", "hystart"),
            ("bsd-4.4", "jiffy_ms"),
        ] {
            let mut json = as_json(name);
            json.insert(field.into(), 1.into());
            let error = serde_json::from_value::<Profile>(json.into()).unwrap_err();
            let expected = format!("unknown field `{field}`");
            assert!(error.to_string().starts_with(&expected), "{name}: {error}");
        }
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
