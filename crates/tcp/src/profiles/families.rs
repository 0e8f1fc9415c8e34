//! Families of stacks: those of one family have the same mechanisms and differ in values alone.
//!
//! Each has the fields that its mechanisms ask for and no others, so that a profile cannot say
//! what its stack could not be.

use serde::{Deserialize, Serialize};

use super::ProfileField;
use super::fields::part;
use crate::choices::choices;
use crate::congestion::WindowValidation;
use crate::recovery::RecoveryAlgorithm;

choices! {
    /// Use of the search for the path's MTU (ip-sysctl, tcp_mtu_probing).
    pub enum MtuProbingUse {
        /// Never.
        Off = "off",
        /// Once timeouts tell of a path that swallows what is long.
        BlackHoles = "black-holes",
        /// From the start.
        On = "on",
    }
}

/// Mechanisms of a stack, with the parameters that they alone have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "family")]
pub enum Family {
    /// The mechanisms that the RFCs describe, timed by RFC 6298.
    #[serde(rename = "standard")]
    Standard(StandardStack),
    /// The heirs of 4.4BSD: the same sender, on a clock of coarse ticks.
    #[serde(rename = "bsd")]
    Bsd(BsdStack),
    /// Linux 2.4: the same sender again, with Linux's estimate of the timeout and
    /// acknowledgements whose delay follows the pace of arrivals.
    #[serde(rename = "linux-2")]
    Linux2(Linux2Stack),
    /// Linux since RACK: a sender and a receiver of its own, which count segments and memory.
    #[serde(rename = "linux")]
    Linux(LinuxStack),
}

part! {
    /// Parameters of a stack by the RFCs' letter.
    #[serde(deny_unknown_fields)]
    pub struct StandardStack {
        /// The clock granularity G of RFC 6298: the least margin over the smoothed round-trip
        /// time.
        pub rto_granularity_ms: u32,
        with
        /// Its sender.
        pub sender: ClassicSender,
    }
}

part! {
    /// Parameters of a stack of the BSDs.
    #[serde(deny_unknown_fields)]
    pub struct BsdStack {
        /// The tick of the slow clock, which measures round trips and on which timers expire.
        pub tick_ms: u32,
        /// True if the estimate of the round trip counts quarters of a tick (FreeBSD) instead of
        /// whole ones.
        pub quarter_ticks: bool,
        /// Time added to every calculated timeout.
        pub rto_slop_ms: u32,
        /// Room in the send buffer for which a writer that waits is woken.
        pub send_low_water_bytes: u32,
        /// Segments of room that reading must have made for the peer to be told of it unasked;
        /// half of the buffer will do, too.
        pub window_update_segments: u32,
        /// Whether acknowledgements fall due by the number of arrivals (FreeBSD), or none but by what
        /// is read and by the timer (4.4BSD).
        pub counts_arrivals: bool,
        with
        /// Its sender.
        pub sender: ClassicSender,
    }
}

part! {
    /// Parameters of Linux 2.4.
    #[serde(deny_unknown_fields)]
    pub struct Linux2Stack {
        /// True if a connection begins with the slow start threshold at which the last ones to the
        /// same host arrived.
        pub remembers_ssthresh: bool,
        /// What a full segment takes of the send buffer beside its payload.
        pub segment_memory_bytes: u32,
        with
        /// Parameters that every Linux has.
        pub kernel: LinuxKernel,
        with
        /// Its sender.
        pub sender: ClassicSender,
    }
}

part! {
    /// Parameters of today's Linux.
    #[serde(deny_unknown_fields)]
    pub struct LinuxStack {
        /// The memory a receive buffer begins with.
        pub receive_buffer_bytes: u32,
        /// The memory it may grow to.
        pub receive_buffer_max_bytes: u32,
        /// True if a silent tail is probed before the timeout (RFC 8985 §7).
        pub tail_loss_probe: bool,
        /// The most segments handed to the interface at once, for it to split; 1 where it splits
        /// nothing.
        pub offload_segments: u32,
        /// Part of a second, 2 to the power of minus this, whose worth at the pacing rate makes a piece
        /// for the interface, and may wait in a queue below that tells what leaves it (TCP small
        /// queues); such a queue may set another.
        pub pacing_shift: u32,
        /// The most memory of a connection that paces nothing that may wait there.
        pub output_limit_bytes: u32,
        /// True if CUBIC's slow start ends where the path seems full (HyStart).
        pub hystart: bool,
        /// Time that acknowledgements beyond the third for one gap may be gathered; 0 for not at
        /// all.
        pub compressed_ack_us: u32,
        /// The tick on which retransmission timers expire; 0 for a timer that needs none.
        pub timer_tick_ms: u32,
        with
        /// Parameters that every Linux has.
        pub kernel: LinuxKernel,
        with
        /// Search for the path's MTU.
        pub mtu_search: MtuProbing,
    }
}

part! {
    /// Parameters of the search for the longest segment that the path takes (RFC 4821).
    pub struct MtuProbing {
        /// Search for longer segments than any that arrived: never, once timeouts tell of a path
        /// that swallows what is long, or from the start.
        pub mtu_probing: MtuProbingUse,
        /// The MSS that the search begins with.
        pub mtu_probe_base_bytes: u32,
        /// The least MSS that timeouts lower it to.
        pub mtu_probe_floor_bytes: u32,
        /// Time after its beginning when the search may begin anew, once it has ended.
        pub mtu_probe_interval_ms: u32,
        /// It ends when what is known to arrive and what is not are less apart than this.
        pub mtu_probe_threshold_bytes: u32,
        /// Number of retries whose time without an answer tells of a path that swallows what is
        /// long.
        pub mtu_probe_retries: u32,
    }
}

part! {
    /// Parameters of every Linux.
    pub struct LinuxKernel {
        /// The tick of the kernel's clock: what a retransmission timeout is rounded up to.
        pub jiffy_ms: u32,
        /// Least time that an acknowledgement is held back; `delayed_ack_ms` at most.
        pub delayed_ack_min_ms: u32,
        /// Number of acknowledgements at a connection's start, or after a pause, that are not
        /// delayed.
        pub quick_acks: u32,
    }
}

part! {
    /// Parameters of the RFCs' sender.
    pub struct ClassicSender {
        /// Loss recovery of the sender.
        pub recovery: RecoveryAlgorithm,
        /// True if congestion avoidance counts acknowledged bytes (RFC 3465) instead of
        /// acknowledgements.
        pub byte_counting: bool,
        /// The most segments one acknowledgement adds in slow start (L of RFC 3465); 0 sets no
        /// limit.
        pub slow_start_limit_segments: u32,
        /// Condition for the congestion window to grow.
        pub window_validation: WindowValidation,
        /// True if a loss leaves a share of the congestion window instead of the data in
        /// flight.
        pub reduces_window: bool,
        /// True if the first duplicate acknowledgements release new segments (RFC 3042).
        pub limited_transmit: bool,
        /// True if what repeats the last acknowledgement counts as a duplicate (RFC 5681 §2) even
        /// where SACK is agreed and its blocks, if any, tell nothing new (RFC 6675 §2), and nothing
        /// but their number speaks for a loss.
        pub duplicates_by_number: bool,
        /// True if timestamps that tell of a spurious retransmission undo its consequences (RFC
        /// 3522).
        pub timestamp_undo: bool,
    }
}

impl Family {
    /// The selector itself, as a field.
    pub(super) const FIELD: ProfileField = ProfileField {
        name: "family",
        meaning: "Which mechanisms the stack has; it comes with the profile.",
        choices: &[],
    };

    /// The fields of all families, each once.
    pub(super) fn fields() -> impl Iterator<Item = &'static ProfileField> {
        [
            StandardStack::FIELDS,
            BsdStack::FIELDS,
            Linux2Stack::FIELDS,
            LinuxStack::FIELDS,
            LinuxKernel::FIELDS,
            MtuProbing::FIELDS,
            ClassicSender::FIELDS,
        ]
        .into_iter()
        .flatten()
    }

    /// The RFCs' sender, in a stack that has it.
    pub fn classic_sender(&mut self) -> Option<&mut ClassicSender> {
        match self {
            Family::Standard(stack) => Some(&mut stack.sender),
            Family::Bsd(stack) => Some(&mut stack.sender),
            Family::Linux2(stack) => Some(&mut stack.sender),
            Family::Linux(_) => None,
        }
    }

    /// Returns what every Linux is set by, in a stack that is one.
    pub fn linux_kernel(&mut self) -> Option<&mut LinuxKernel> {
        match self {
            Family::Standard(_) | Family::Bsd(_) => None,
            Family::Linux2(stack) => Some(&mut stack.kernel),
            Family::Linux(stack) => Some(&mut stack.kernel),
        }
    }

    /// Returns what today's Linux is set by, in a stack that is one.
    pub fn linux(&mut self) -> Option<&mut LinuxStack> {
        match self {
            Family::Linux(stack) => Some(stack),
            _ => None,
        }
    }
}
