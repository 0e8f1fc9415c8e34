//! Opening: what SYNs carry and what follows from them (RFC 9293 §3.5, §3.10.7.2 and .3).

use units::Time;

use super::{AckDue, Connection, TimestampState};
use crate::config::{DEFAULT_MSS, MAX_SHIFT};
use crate::state::Transition;
use crate::timers::Timer;
use crate::{Ecn, Event, Failure, Flags, Kind, Options, Segment, State, Timestamps};

impl Connection {
    /// RFC 9293 §3.10.7.2.
    pub(super) fn arrive_in_listen(&mut self, now: Time, segment: &Segment) {
        if segment.flags.contains(Flags::RST) {
            return;
        }
        if segment.flags.contains(Flags::ACK) {
            self.refuse(segment);
        } else if segment.flags.contains(Flags::SYN) {
            // Linux takes no SYN that is a FIN, too, and no text before its SYN is acknowledged
            // (tcp_rcv_state_process); the peer sends it again.
            if self.config.is_linux() && segment.flags.contains(Flags::FIN) {
                return;
            }
            self.synchronize(segment);
            self.state = self.state.after(Transition::Syn);
            self.urgent.owe_syn();
            if !self.config.is_linux() {
                self.take_text(now, segment, 1);
            }
        }
    }

    /// RFC 9293 §3.10.7.3.
    pub(super) fn arrive_in_syn_sent(&mut self, now: Time, segment: &Segment) {
        let flags = segment.flags;
        let has_ack = flags.contains(Flags::ACK);
        if has_ack && segment.ack != self.isn.at(1) {
            self.refuse(segment);
            self.hurry_syn(now);
        } else if flags.contains(Flags::RST) {
            if has_ack {
                self.fail(Failure::Refused);
            }
        } else if flags.contains(Flags::SYN) {
            self.synchronize(segment);
            if has_ack {
                self.establish(now, segment);
                self.ack.due = AckDue::Now;
            } else {
                self.state = self.state.after(Transition::Syn);
                self.urgent.owe_syn();
            }
            self.take_text(now, segment, 1);
        }
    }

    /// Linux: the peer may not have forgotten an earlier connection, and is asked again soon
    /// (`tcp_rcv_synsent_state_process`, TCP_TIMEOUT_MIN).
    fn hurry_syn(&mut self, now: Time) {
        if self.config.is_linux() && self.retries == 0 {
            let soon = self.delayed_ack.jiffy() * 2;
            self.timers
                .arm(Timer::Retransmission, self.rtt.tick_after(now, soon));
        }
    }

    /// Takes the peer's initial sequence number and agrees on the options.
    fn synchronize(&mut self, syn: &Segment) {
        let options = &syn.options;
        self.peer_isn = syn.seq;
        self.receive.synchronize();
        self.acknowledged = self.receive.nxt;
        self.sack = self.config.sack && options.sack_permitted;
        self.agree_on_ecn(syn);
        if let (Some(own), Some(peer)) = (self.config.window_shift, options.window_scale) {
            self.scaling = true;
            self.shift = own;
            self.peer_shift = peer.min(MAX_SHIFT);
        }
        self.timestamps = options
            .timestamps
            .filter(|_| self.config.timestamps)
            .map(|t| TimestampState {
                recent: t.value,
                last_ack_sent: 1,
            });
        let peer_mss = options.mss.map_or(DEFAULT_MSS, u32::from);
        let config = &self.config;
        self.mss = config.payload_limit(peer_mss, self.timestamps.is_some());
        self.congestion = config.controller(self.mss, false);
        self.recovery = config.recovery(self.mss, self.sack);
    }

    /// Our SYN is acknowledged: data may flow.
    pub(super) fn establish(&mut self, now: Time, segment: &Segment) {
        let syn_lost = self.retries > 0;
        self.state = self.state.after(Transition::Acknowledged);
        self.urgent.forget_syn();
        self.send.acknowledge(1);
        // The window field of a SYN is never scaled (RFC 7323 §2.2).
        let is_syn = segment.flags.contains(Flags::SYN);
        let shift = if is_syn { 0 } else { self.peer_shift };
        self.send
            .update_window(self.receive.nxt, 1, u64::from(segment.window) << shift);
        self.congestion = self.config.controller(self.mss, syn_lost);
        self.linux = self.config.linux(self.mss, self.sack);
        self.open_receiver(now);
        self.timers.cancel(Timer::Retransmission);
        let rtt = match self.timed {
            // The kernel goes by its own clock before it asks the timestamp's.
            Some((1, sent)) if self.linux.is_some() => Some(self.take_timed(now, sent)),
            _ => self.measure(now, segment, 1),
        };
        if let Some(rtt) = rtt.filter(|_| self.linux.is_some()) {
            self.rtt.note_least(now, rtt);
        }
        self.begin_as_linux();
        self.last_sent = now;
        if syn_lost {
            self.rtt
                .restart_after_syn_loss(self.config.rto_after_syn_loss);
        }
        self.retries = 0;
        self.events.push(Event::Established);
        if let Some(keep_alive) = self.config.keep_alive {
            self.timers.arm(Timer::KeepAlive, now + keep_alive.idle);
        }
        if self.send.closing {
            self.state = self.state.after(Transition::Close);
        }
    }

    /// The receiver learns what was agreed on (tcp_init_buffer_space, tcp_initialize_rcv_mss).
    fn open_receiver(&mut self, now: Time) {
        let announced = self
            .config
            .payload_limit(u32::MAX, self.timestamps.is_some());
        let window = self.first_window();
        self.receive
            .open(now, u64::from(announced), self.shift, window);
        self.delayed_ack
            .expect_segments(now, self.mss, window, announced);
    }

    /// The window our SYN stands for, though its field, which is never scaled (RFC 7323 §2.2), may
    /// hold less.
    fn first_window(&self) -> u64 {
        let stamps = self.passive && self.timestamps.is_some();
        let segment = self.config.payload_limit(u32::MAX, stamps);
        self.receive.first_window(u64::from(segment))
    }

    /// Builds the SYN or SYN-ACK that is due.
    pub(super) fn make_syn(&mut self, now: Time) -> Segment {
        self.urgent.forget_syn();
        let is_first = self.send.max == 0;
        let mut deadline = self.rtt.deadline(now);
        if is_first {
            self.trouble_since = now;
            self.timed = Some((1, now));
            (self.send.nxt, self.send.max) = (1, 1);
        } else {
            self.timed = None;
            self.counters.syn_retransmissions += 1;
            deadline = deadline.min(self.connect_deadline().max(now));
        }
        self.last_sent = now;
        self.timers.arm(Timer::Retransmission, deadline);
        self.syn_segment(now)
    }

    /// The SYN offers what the profile has; the SYN-ACK only what was offered, but that Linux
    /// answers a SYN that crosses its own with that SYN and an acknowledgement (tcp_send_synack).
    fn syn_segment(&self, now: Time) -> Segment {
        let config = &self.config;
        let is_answer = self.state == State::SynReceived;
        let offers_all = !is_answer || (config.is_linux() && !self.passive);
        let echo = self.timestamps.map_or(0, |t| t.recent);
        let timestamps = if offers_all {
            config.timestamps
        } else {
            self.timestamps.is_some()
        };
        let window_scale = config.window_shift.filter(|_| offers_all || self.scaling);
        Segment {
            seq: self.isn,
            ack: if is_answer {
                self.peer_isn.at(self.receive.nxt)
            } else {
                Default::default()
            },
            payload: 0,
            window: self.first_window().min(65_535) as u16,
            flags: self.ecn_flags_of_syn(is_answer)
                | if is_answer {
                    Flags::SYN | Flags::ACK
                } else {
                    Flags::SYN
                },
            kind: Kind::Control,
            ecn: Ecn::NotCapable,
            options: Options {
                mss: Some(config.mss as u16),
                window_scale,
                sack_permitted: if offers_all { config.sack } else { self.sack },
                timestamps: timestamps.then(|| Timestamps {
                    value: self.clock(now),
                    echo,
                }),
                ..Options::default()
            },
        }
    }

    /// The timestamp clock; it starts at the initial sequence number so that connections
    /// differ (RFC 7323 §5.4).
    pub(super) fn clock(&self, now: Time) -> u32 {
        let ticks = now.as_nanos() / self.config.timestamp_tick.as_nanos();
        self.isn.at(ticks).0
    }
}
