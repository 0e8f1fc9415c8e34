//! Opening: what SYNs carry and what follows from them (RFC 9293 §3.5, §3.10.7.2 and .3).

use units::Time;

use super::{AckDue, Connection, TimestampState};
use crate::config::{DEFAULT_MSS, MAX_SHIFT};
use crate::state::Transition;
use crate::timers::Timer;
use crate::{Ecn, Event, Failure, Flags, Options, Segment, SendCause, State, Timestamps};

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
            // (tcp_rcv_state_process) but by TCP Fast Open; the peer sends it again.
            if self.config.is_linux() && segment.flags.contains(Flags::FIN) {
                return;
            }
            self.synchronize(segment);
            self.state = self.state.after(Transition::Syn);
            self.urgent.owe_syn();
            if !self.config.is_linux() {
                self.take_text(now, segment, 1);
            }
            self.answer_fast_open(now, segment);
        }
    }

    /// RFC 9293 §3.10.7.3.
    pub(super) fn arrive_in_syn_sent(&mut self, now: Time, segment: &Segment) {
        let flags = segment.flags;
        let has_ack = flags.contains(Flags::ACK);
        if has_ack && !self.acknowledges_syn(segment) {
            self.refuse(segment);
            self.hurry_syn(now);
        } else if has_ack && self.echoes_another(now, segment) {
            self.refuse(segment);
        } else if flags.contains(Flags::RST) {
            if has_ack {
                self.fail(Failure::Refused);
            }
        } else if flags.contains(Flags::SYN) {
            self.synchronize(segment);
            if has_ack {
                let ack = segment.ack.since(self.isn);
                self.establish(now, segment, u64::from(ack));
                self.take_data_of_syn_ack(now, segment);
                self.answer_syn_ack(now);
            } else {
                self.state = self.state.after(Transition::Syn);
                self.urgent.owe_syn();
                self.take_crossing_syn(now, segment);
            }
            if !self.config.is_linux() {
                self.take_text(now, segment, 1);
            }
        }
    }

    /// At once, but where data are about to do it (the end of `tcp_rcv_synsent_state_process`).
    fn answer_syn_ack(&mut self, now: Time) {
        if self.leaves_answer() {
            self.delayed_ack.owe();
            self.delayed_ack.hurry(self.receive.announced());
            self.timers
                .arm(Timer::DelayedAck, now + self.delayed_ack.longest());
        } else {
            self.ack.due = AckDue::Now;
        }
    }

    /// Returns whether a segment acknowledges the SYN, and nothing that it did not carry.
    fn acknowledges_syn(&self, segment: &Segment) -> bool {
        let most = self.send.max.max(1);
        (1..=most).contains(&u64::from(segment.ack.since(self.isn)))
    }

    /// Linux: whether a SYN-ACK echoes a timestamp that none of our SYNs had
    /// (`tcp_rcv_synsent_state_process`).
    fn echoes_another(&self, now: Time, segment: &Segment) -> bool {
        let first = self.clock(self.trouble_since);
        let since_first = |stamp: u32| stamp.wrapping_sub(first);
        let echo = segment.options.timestamps.map_or(0, |stamps| stamps.echo);
        self.config.is_linux() && echo != 0 && since_first(echo) > since_first(self.clock(now))
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
        let config = &self.config;
        self.peer_mss = config.peer_mss(options.mss.map_or(DEFAULT_MSS, u32::from));
        self.mss = config.payload_on_path(self.peer_mss, self.timestamps.is_some());
        self.congestion = config.controller(self.mss, false);
        self.recovery = config.recovery(self.mss, self.sack);
        self.count_send_memory();
    }

    /// Our SYN is acknowledged, and of what it carried what stands before `ack`: data may flow.
    pub(super) fn establish(&mut self, now: Time, segment: &Segment, ack: u64) {
        let (syn_lost, was_crossed) = (self.retries > 0, self.is_crossed());
        self.state = self.state.after(Transition::Acknowledged);
        self.urgent.forget_syn();
        self.counters.bytes_acknowledged += self.send.acknowledge(ack);
        // The window field of a SYN is never scaled (RFC 7323 §2.2).
        let is_syn = segment.flags.contains(Flags::SYN);
        let shift = if is_syn { 0 } else { self.peer_shift };
        self.send
            .update_window(self.receive.nxt, ack, u64::from(segment.window) << shift);
        let starts_small = syn_lost && !self.forgives_syn_loss(segment);
        let mtu_search = self.begin_mtu_search(now);
        self.congestion = self.config.controller(self.mss, starts_small);
        self.linux = self.config.linux(self.mss, self.sack);
        if let Some(linux) = &mut self.linux {
            linux.mtu_search = mtu_search;
        }
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
        self.begin_as_linux(now);
        self.settle_fast_open(segment);
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
            if was_crossed {
                self.close_when_crossed(now, segment);
            }
        }
    }

    /// Linux forgives a single SYN that was lost, for it may have been early: a timeout is a second,
    /// where RFC 6298 had three; and more if `segment` echoes the first, which arrived after all
    /// (tcp_init_transfer, tcp_try_undo_spurious_syn).
    fn forgives_syn_loss(&self, segment: &Segment) -> bool {
        let first = self.clock(self.trouble_since);
        let stamps = segment
            .options
            .timestamps
            .filter(|_| self.timestamps.is_some());
        let is_of_first = stamps.is_some_and(|stamps| stamps.echo == first);
        self.config.is_linux() && (self.retries == 1 || is_of_first)
    }

    /// The receiver learns what was agreed on (tcp_init_buffer_space, tcp_initialize_rcv_mss).
    pub(super) fn open_receiver(&mut self, now: Time) {
        let announced = self
            .config
            .payload_limit(u32::MAX, self.timestamps.is_some());
        let window = self.first_window();
        self.receive
            .open(now, u64::from(announced), self.shift, window);
        self.delayed_ack
            .expect_segments(now, self.mss, window, announced);
    }

    /// Linux: whether an offset lies beyond the window that our SYN told of, where the receiver has
    /// not been opened.
    #[cold]
    pub(super) fn is_beyond_first_window(&self, start: u64) -> bool {
        let edge = self.receive.nxt + self.first_window();
        self.config.is_linux() && !self.is_early() && start > edge
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
            // What answers a SYN that crossed ours leaves for the first time (tcp_send_synack).
            let is_answer = self.is_crossed() && self.retries == 0;
            self.timed = self.timed.filter(|_| is_answer).map(|_| (1, now));
            self.counters.syn_retransmissions += 1;
            deadline = deadline.min(self.connect_deadline().max(now));
        }
        self.last_sent = now;
        self.timers.arm(Timer::Retransmission, deadline);
        let mut syn = self.syn_segment(now);
        self.dress_syn(&mut syn, is_first);
        syn
    }

    /// The SYN offers what the profile has; the SYN-ACK only what was offered, but that Linux
    /// answers a SYN that crosses its own with that SYN and an acknowledgement (tcp_send_synack).
    pub(super) fn syn_segment(&self, now: Time) -> Segment {
        let config = &self.config;
        let is_answer = self.state != State::SynSent;
        let offers_all = !is_answer || (config.is_linux() && !self.passive);
        let echo = self.timestamps.map_or(0, |t| t.recent);
        let timestamps = if offers_all {
            config.timestamps
        } else {
            self.timestamps.is_some()
        };
        let window_scale = config.window_shift.filter(|_| offers_all || self.scaling);
        let window = match is_answer && offers_all {
            true => self.receive.window(),
            false => self.first_window(),
        };
        Segment {
            seq: self.isn,
            ack: if is_answer {
                self.peer_isn.at(self.receive.nxt)
            } else {
                Default::default()
            },
            payload: 0,
            window: window.min(65_535) as u16,
            flags: self.ecn_flags_of_syn(is_answer)
                | if is_answer {
                    Flags::SYN | Flags::ACK
                } else {
                    Flags::SYN
                },
            kind: SendCause::Control,
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
