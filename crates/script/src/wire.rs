//! Packets of the script and segments of the endpoint: numbers translated, differences found.
//!
//! In a SYN the numbers are those that the script gives: the peer's as they are on the wire, the
//! endpoint's counted from its own initial number, which the script may write as any. Elsewhere a
//! script counts both ends' from their SYNs, which are 0, as packetdrill does.
//! TS val of the endpoint is its own clock's too: a script may write any value, and what
//! it echoes later stands for the clock that was seen with it.

use std::collections::BTreeMap;

use tcp::{Ecn, Flags, Options, SackBlock, SackBlocks, Segment, Seq, Timestamps};
use units::Duration;

use crate::ast::{EcnField, PacketOptions, ScriptPacket};

/// Translation of one connection's numbers.
#[derive(Clone, Debug, Default)]
pub struct Translation {
    /// The initial sequence number of the endpoint, and what the script writes for it.
    local: u32,
    local_written: u32,
    /// That of the peer, which the script has chosen.
    remote: u32,
    /// The endpoint's TS val for the script's.
    clocks: BTreeMap<u32, u32>,
    /// The first TS val, in the script and of the endpoint.
    first_clock: Option<(u32, u32)>,
}

impl Translation {
    /// Before the script has named the endpoint's SYN, it is taken as 0.
    pub fn new(isn: u32) -> Translation {
        Translation {
            local: isn,
            ..Translation::default()
        }
    }

    /// The endpoint's initial sequence number, once it is known.
    pub fn note_own_isn(&mut self, isn: u32) {
        (self.local, self.local_written) = (isn, 0);
    }

    /// The peer opens with this sequence number.
    pub fn note_peer_isn(&mut self, isn: u32) {
        self.remote = isn;
    }

    /// The script calls the SYN at `live` by the number `written`.
    pub fn note_syn(&mut self, written: u32, live: Seq) {
        (self.local, self.local_written) = (live.0, written);
    }

    /// The script calls the TS val `live` by the number `written`.
    pub fn note_clock(&mut self, written: u32, live: u32) {
        self.clocks.insert(written, live);
        self.first_clock.get_or_insert((written, live));
    }

    /// Returns how far the endpoint's clock and the script's have run apart since the first TS val,
    /// where the script's tick is `tick` and the endpoint's `own_tick`.
    pub fn clock_drift(
        &self,
        written: u32,
        live: u32,
        tick: Duration,
        own_tick: Duration,
    ) -> Duration {
        let Some((first_written, first_live)) = self.first_clock else {
            return Duration::ZERO;
        };
        let run = |now: u32, then: u32, tick: Duration| {
            u64::from(now.wrapping_sub(then)).saturating_mul(tick.as_nanos())
        };
        let (script, endpoint) = (
            run(written, first_written, tick),
            run(live, first_live, own_tick),
        );
        Duration::from_nanos(script.abs_diff(endpoint))
    }

    /// Returns what is to be added to the script's numbers, in a SYN and elsewhere: the endpoint's,
    /// and the peer's.
    fn offsets(&self, flags: Flags) -> (u32, u32) {
        match flags.contains(Flags::SYN) {
            true => (self.local.wrapping_sub(self.local_written), 0),
            false => (self.local, self.remote),
        }
    }

    /// The endpoint's TS val that the script means: one that was seen, or as far from the first as
    /// the script says.
    fn clock(&self, written: u32) -> u32 {
        match (self.clocks.get(&written), self.first_clock) {
            (Some(live), _) => *live,
            (None, Some((first_written, first_live))) if written != 0 => {
                first_live.wrapping_add(written.wrapping_sub(first_written))
            }
            (None, _) => written,
        }
    }

    /// The endpoint's sequence number that the script calls `written`.
    pub fn sequence_number(&self, written: u32) -> Seq {
        Seq(written.wrapping_add(self.local))
    }

    /// Returns what the script sends, as the endpoint gets it.
    pub fn segment(&self, packet: &ScriptPacket) -> Segment {
        let written = packet.options.clone().unwrap_or_default();
        let (local, remote) = self.offsets(packet.flags);
        let live = |number: u32| Seq(number.wrapping_add(local));
        let mut sack = SackBlocks::default();
        for &(start, end) in &written.sack {
            sack.push(SackBlock {
                start: live(start),
                end: live(end),
            });
        }
        let mut options = Options {
            sack,
            timestamps: written.timestamps.map(|(value, echo)| Timestamps {
                value,
                echo: self.clock(echo),
            }),
            mss: written.mss,
            window_scale: written.window_scale,
            sack_permitted: written.sack_permitted,
        };
        // Elsewhere it is passed over (tcp_parse_fastopen_option).
        let of_syn = written
            .fast_open
            .filter(|_| packet.flags.contains(Flags::SYN));
        if let Some(fast_open) = of_syn {
            options.set_fast_open(fast_open);
        }
        Segment {
            seq: Seq(packet.seq.wrapping_add(remote)),
            ack: packet.ack.map_or(Seq(0), live),
            payload: packet.payload,
            window: packet.window.unwrap_or_default(),
            flags: packet.flags,
            ecn: match packet.ecn {
                Some(EcnField::Is(ecn)) => ecn,
                _ => Ecn::NotCapable,
            },
            options,
            ..Segment::default()
        }
    }

    /// Returns what the endpoint has sent, in the script's numbers but for TS val.
    pub fn packet(&self, segment: &Segment) -> ScriptPacket {
        let options = &segment.options;
        let (local, remote) = self.offsets(segment.flags);
        let of_peer = |number: Seq| number.0.wrapping_sub(remote);
        let blocks = options.sack.as_slice().iter();
        // RFC 9293 §3.5.2 group 1: a reset for a segment without ACK has number 0.
        let is_bare_reset = segment.flags == Flags::RST | Flags::ACK && segment.seq == Seq(0);
        ScriptPacket {
            ports: None,
            ecn: Some(EcnField::Is(segment.ecn)),
            flags: segment.flags,
            seq: match is_bare_reset {
                true => 0,
                false => segment.seq.0.wrapping_sub(local),
            },
            payload: segment.payload,
            ack: segment
                .flags
                .contains(Flags::ACK)
                .then(|| of_peer(segment.ack)),
            window: Some(segment.window),
            options: Some(PacketOptions {
                mss: options.mss,
                window_scale: options.window_scale,
                sack_permitted: options.sack_permitted,
                timestamps: options.timestamps.map(|t| (t.value, t.echo)),
                sack: blocks
                    .map(|block| (of_peer(block.start), of_peer(block.end)))
                    .collect(),
                fast_open: options.fast_open(),
            }),
        }
    }
}

/// The first difference that matters: what the script leaves open does not, nor do the order
/// of options and their padding, which a segment here does not have, nor TS val.
pub(crate) fn difference(expected: &ScriptPacket, seen: &ScriptPacket) -> Option<String> {
    let differs = |what: &str, expected: String, seen: String| {
        (expected != seen).then(|| format!("{what}: expected {expected}, seen {seen}"))
    };
    let number = |value: Option<u32>| value.map_or("none".to_owned(), |value| value.to_string());
    differs("flags", show_flags(expected.flags), show_flags(seen.flags))
        .or_else(|| {
            let expected = expected.ecn.filter(|own| !is_met(*own, seen.ecn))?;
            differs("ECN field", show_ecn(expected), show_ecn(seen.ecn?))
        })
        .or_else(|| {
            differs(
                "sequence number",
                expected.seq.to_string(),
                seen.seq.to_string(),
            )
        })
        .or_else(|| {
            differs(
                "payload",
                expected.payload.to_string(),
                seen.payload.to_string(),
            )
        })
        .or_else(|| differs("acknowledgement", number(expected.ack), number(seen.ack)))
        .or_else(|| {
            let window = seen.window?;
            differs("window", expected.window?.to_string(), window.to_string())
        })
        .or_else(|| {
            let (expected, seen) = (expected.options.as_ref()?, seen.options.as_ref()?);
            let mut seen = seen.clone();
            if let (Some(own), Some(written)) = (&mut seen.timestamps, expected.timestamps) {
                own.0 = written.0;
            }
            differs("options", show_options(expected), show_options(&seen))
        })
}

/// Returns whether a field is as the script says.
fn is_met(expected: EcnField, seen: Option<EcnField>) -> bool {
    let is_capable = |seen| matches!(seen, EcnField::Is(Ecn::Capable | Ecn::Capable1));
    Some(expected) == seen || expected == EcnField::Capable && seen.is_some_and(is_capable)
}

fn show_ecn(field: EcnField) -> String {
    let word = match field {
        EcnField::Is(Ecn::NotCapable) => "noecn",
        EcnField::Is(Ecn::Capable) => "ect0",
        EcnField::Is(Ecn::Capable1) => "ect1",
        EcnField::Is(Ecn::Congestion) => "ce",
        EcnField::Capable => "ect01",
    };
    format!("[{word}]")
}

fn show_flags(flags: Flags) -> String {
    let letters = [
        (Flags::SYN, 'S'),
        (Flags::FIN, 'F'),
        (Flags::RST, 'R'),
        (Flags::PSH, 'P'),
        (Flags::ECE, 'E'),
        (Flags::CWR, 'W'),
        (Flags::ACK, '.'),
    ];
    let shown: String = letters
        .iter()
        .filter(|(flag, _)| flags.contains(*flag))
        .map(|(_, letter)| letter)
        .collect();
    if shown.is_empty() {
        "-".to_owned()
    } else {
        shown
    }
}

fn show_options(options: &PacketOptions) -> String {
    let mut words = Vec::new();
    if let Some(mss) = options.mss {
        words.push(format!("mss {mss}"));
    }
    if options.sack_permitted {
        words.push("sackOK".to_owned());
    }
    if let Some((value, echo)) = options.timestamps {
        words.push(format!("TS val {value} ecr {echo}"));
    }
    if let Some(shift) = options.window_scale {
        words.push(format!("wscale {shift}"));
    }
    if let Some(fast_open) = options.fast_open {
        let name = if fast_open.is_experimental {
            "FOEXP"
        } else {
            "FO"
        };
        let bytes = fast_open.cookie.as_bytes().iter();
        let digits: String = bytes.map(|byte| format!("{byte:02x}")).collect();
        words.push(format!("{name} {digits}").trim_end().to_owned());
    }
    if !options.sack.is_empty() {
        let blocks = options
            .sack
            .iter()
            .map(|(start, end)| format!(" {start}:{end}"));
        words.push(format!("sack{}", blocks.collect::<String>()));
    }
    format!("<{}>", words.join(","))
}

/// A packet in the script's notation.
pub(crate) fn show(packet: &ScriptPacket) -> String {
    let end = packet.seq.wrapping_add(packet.payload);
    let flags = show_flags(packet.flags);
    let mut text = match packet.ecn {
        None | Some(EcnField::Is(Ecn::NotCapable)) => String::new(),
        Some(field) => format!("{} ", show_ecn(field)),
    };
    text += &format!("{flags} {}:{end}({})", packet.seq, packet.payload);
    if let Some(ack) = packet.ack {
        text += &format!(" ack {ack}");
    }
    if let Some(window) = packet.window {
        text += &format!(" win {window}");
    }
    match packet.options.as_ref().map(show_options) {
        Some(options) if options == "<>" => {}
        Some(options) => text += &format!(" {options}"),
        None => text += " <...>",
    }
    text
}
