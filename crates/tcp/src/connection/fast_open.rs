//! Data with the SYN: TCP Fast Open (RFC 7413), as Linux has it (`net/ipv4/tcp_fastopen.c`).
//!
//! A client's SYN takes data along. Its SYN-ACK acknowledges them or not; then they are
//! retransmitted, as lost. A server that takes them has a connection before the handshake is over,
//! and answers with data while its SYN-ACK is on the way: such a connection is early. The timer is
//! the SYN-ACK's until that is acknowledged.

use units::Time;

use super::Connection;
use crate::fast_open::{FastOpenClient, FastOpenFailure, FastOpenLesson, FastOpenServer};
use crate::ranges::OffsetRange;
use crate::receive::Text;
use crate::recovery::linux::{RexmitOrder, TimerPurpose};
use crate::send::FIRST_BYTE;
use crate::state::Transition;
use crate::timers::Timer;
use crate::{Cookie, Event, Failure, FastOpenOption, Flags, Segment, State};

/// Room that a SYN with data leaves for the options of others on the way (MAX_TCP_OPTION_SPACE).
const OPTION_SPACE: u64 = 40;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FastOpen {
    /// Option of the first SYN, or the SYN-ACK.
    option: Option<FastOpenOption>,
    /// True if the SYN carried the option (syn_fastopen).
    has_asked: bool,
    /// Bytes of data in the SYN (syn_data).
    data: u64,
    /// True if the application is about to write more (sk_write_pending).
    is_written_on: bool,
    /// True if they were acknowledged, by either end (syn_data_acked).
    is_acknowledged: bool,
    failure: FastOpenFailure,
    lesson: Option<FastOpenLesson>,
    server: Option<FastOpenServer>,
    /// True if a server made the connection of a SYN with data (syn_fastopen_child).
    is_child: bool,
}

impl Connection {
    /// The SYN, which must not have left yet, is to carry the first of `bytes` bytes, if the client
    /// may: returns how many, which count as written. `waits` says that the application waits to
    /// write the rest, which will acknowledge the SYN-ACK. Only today's Linux opens fast; of another
    /// stack the SYN is an ordinary one.
    pub fn open_fast(&mut self, client: &FastOpenClient, bytes: u64, waits: bool) -> u64 {
        if !self.config.is_linux() || self.state != State::SynSent || self.send.max > 0 {
            return 0;
        }
        let cookie = client.cookie.filter(|_| !client.without_cookie);
        let mut fast_open = FastOpen {
            option: (!client.without_cookie).then(|| FastOpenOption {
                cookie: cookie.unwrap_or(Cookie::REQUEST),
                is_experimental: client.is_experimental,
            }),
            ..FastOpen::default()
        };
        fast_open.has_asked = fast_open.option.is_some();
        if cookie.is_some() || client.without_cookie {
            let mss = client.mss.map_or(u32::MAX, u32::from).min(self.config.mss);
            let most = u64::from(mss).saturating_sub(OPTION_SPACE);
            fast_open.data = self.send.write(bytes.min(most));
        } else {
            fast_open.failure = FastOpenFailure::NoCookie;
        }
        fast_open.is_written_on = waits && fast_open.data < bytes;
        self.fast_open = Some(Box::new(fast_open));
        fast_open.data
    }

    /// A listener takes data with the SYN as `server` says, if its stack is today's Linux.
    pub fn accept_fast(&mut self, server: FastOpenServer) {
        if self.config.is_linux() && self.state == State::Listen {
            self.fast_open = Some(Box::new(FastOpen {
                server: Some(server),
                ..FastOpen::default()
            }));
        }
    }

    /// Returns what a client has learned of the server, once.
    pub fn take_fast_open_lesson(&mut self) -> Option<FastOpenLesson> {
        self.fast_open.as_mut()?.lesson.take()
    }

    /// Why data did not go with the SYN.
    pub fn fast_open_failure(&self) -> FastOpenFailure {
        self.fast_open
            .as_ref()
            .map_or(FastOpenFailure::None, |fast_open| fast_open.failure)
    }

    /// Returns whether data that came with a SYN were acknowledged, and whether that made the
    /// connection.
    pub(super) fn fast_open_bits(&self) -> (bool, bool) {
        let of = |fast_open: &FastOpen| (fast_open.is_acknowledged, fast_open.is_child);
        self.fast_open.as_deref().map_or((false, false), of)
    }

    /// Returns whether the connection works though its SYN-ACK has not been acknowledged.
    #[inline]
    pub(super) fn is_early(&self) -> bool {
        self.state == State::SynReceived && self.linux.is_some()
    }

    /// Gives a SYN or SYN-ACK what it carries of Fast Open: a SYN once, the SYN-ACK of a server
    /// always.
    pub(super) fn dress_syn(&mut self, syn: &mut Segment, is_first: bool) {
        let is_answer = self.state == State::SynReceived;
        let is_dressed = is_first || is_answer && self.passive;
        let Some(fast_open) = self.fast_open.as_mut().filter(|_| is_dressed) else {
            return;
        };
        // Where a segment may not have all options, a cookie does not go beside the others.
        let has_room = u64::from(self.config.mss) >= OPTION_SPACE;
        if let Some(option) = fast_open.option.filter(|_| has_room) {
            syn.options.set_fast_open(option);
        }
        if !is_answer {
            syn.payload = fast_open.data as u32;
            (self.send.nxt, self.send.max) = (1 + fast_open.data, 1 + fast_open.data);
        }
    }

    /// The path takes no SYN with the data that it had: it is retransmitted without them at once,
    /// and tells of smaller segments (`tcp_simple_retransmit`).
    pub(super) fn undress_syn(&mut self, limit: u32) {
        let has_data = self
            .fast_open
            .as_ref()
            .is_some_and(|fast_open| fast_open.data > 0);
        if has_data && limit < self.config.mss {
            self.config.mss = limit;
            self.urgent.owe_syn();
        }
    }

    /// The SYN-ACK has acknowledged what stands before SND.UNA (`tcp_rcv_fastopen_synack`).
    pub(super) fn settle_fast_open(&mut self, syn_ack: &Segment) {
        let is_second = self.counters.syn_retransmissions > 0;
        let Some(mut fast_open) = self.fast_open.take() else {
            return;
        };
        fast_open.lesson = Some(lesson(&fast_open, syn_ack, is_second));
        let left = OffsetRange::new(self.send.una, FIRST_BYTE + fast_open.data);
        if let Some(sender) = &mut self.linux {
            sender.buffers.begin_at(left.end);
        }
        if left.start == left.end {
            fast_open.is_acknowledged = fast_open.data > 0;
        } else {
            fast_open.failure = match is_second {
                true => FastOpenFailure::SynRetransmitted,
                false => FastOpenFailure::NotAcknowledged,
            };
            if let Some(sender) = &mut self.linux {
                sender.lose_data_of_syn(left, self.last_sent);
            }
        }
        self.fast_open = Some(fast_open);
    }

    /// The answer to a SYN that opened fast brings data, and may be the last of them
    /// (`tcp_fastopen_add_skb`): they count unless what went with the SYN has to be retransmitted.
    pub(super) fn take_data_of_syn_ack(&mut self, now: Time, syn_ack: &Segment) {
        let is_taken = self.fast_open.as_deref().is_some_and(|fast_open| {
            let has_failed = fast_open.data > 0 && !fast_open.is_acknowledged;
            !has_failed && (fast_open.has_asked || fast_open.data > 0)
        });
        let fin = syn_ack.flags.contains(Flags::FIN);
        if is_taken && (syn_ack.payload > 0 || fin) {
            self.take_data_of_syn(syn_ack);
        }
        if is_taken && self.receive.take_fin() {
            self.take_fin(now);
        }
    }

    /// Returns whether the acknowledgement of the SYN-ACK is left to what the application is about
    /// to write.
    pub(super) fn leaves_answer(&self) -> bool {
        self.fast_open
            .as_ref()
            .is_some_and(|fast_open| fast_open.is_written_on)
    }

    /// A SYN for a listener: what its answer carries, and whether its data are taken
    /// (`tcp_try_fastopen`).
    pub(super) fn answer_fast_open(&mut self, now: Time, syn: &Segment) {
        let Some(mut fast_open) = self.fast_open.take() else {
            return;
        };
        let shown = syn.options.fast_open();
        let is_taken = fast_open.server.is_some_and(|server| {
            let (is_taken, given) = judge(&server, shown.map(|shown| shown.cookie), syn.payload);
            fast_open.option = given.map(|cookie| FastOpenOption {
                cookie,
                is_experimental: shown.is_some_and(|shown| shown.is_experimental),
            });
            is_taken
        });
        fast_open.is_child = is_taken;
        fast_open.is_acknowledged = is_taken;
        self.fast_open = Some(fast_open);
        if is_taken {
            self.open_early(now, syn);
        }
    }

    /// `tcp_fastopen_create_child`.
    fn open_early(&mut self, now: Time, syn: &Segment) {
        self.send.acknowledge(FIRST_BYTE);
        let window = u64::from(syn.window);
        self.send
            .update_window(self.receive.nxt, FIRST_BYTE, window);
        self.congestion = self.config.controller(self.mss, false);
        self.linux = self.config.linux(self.mss, self.sack);
        self.open_receiver(now);
        self.begin_as_linux(now);
        self.last_sent = now;
        self.events.push(Event::Established);
        if syn.payload > 0 {
            self.take_data_of_syn(syn);
        }
    }

    /// `tcp_fastopen_add_skb`: nothing is learned of the peer's pace yet, and the SYN-ACK
    /// acknowledges.
    fn take_data_of_syn(&mut self, syn: &Segment) {
        self.receive.accept(&Text {
            start: FIRST_BYTE,
            payload: syn.payload,
            fin: syn.flags.contains(Flags::FIN),
            options: self.option_bytes(syn),
        });
        self.receive.tell_anew();
        self.acknowledged = self.receive.nxt;
        if let Some(stamps) = &mut self.timestamps {
            stamps.last_ack_sent = self.acknowledged;
        }
        self.counters.bytes_received += u64::from(syn.sequence_length() - 1); // without the SYN
        if syn.payload > 0 {
            self.counters.data_segments_received += 1;
            self.events.push(Event::Readable);
        }
    }

    /// Data of an early connection, and the FIN if the application has gone for good: who has only
    /// shut one half waits for the handshake (`tcp_shutdown`). The timer stays the SYN-ACK's
    /// (`tcp_rearm_rto`).
    #[cold]
    #[inline(never)]
    pub(super) fn next_early(&mut self, now: Time) -> Option<Segment> {
        let deadline = self.timers.deadline(Timer::Retransmission);
        let closing = self.send.closing;
        self.send.closing &= self.released;
        let segment = self.next_data_as_linux(now);
        self.send.closing = closing;
        self.timers.arm(Timer::Retransmission, deadline);
        if let Some(sender) = &mut self.linux {
            sender.set_pending(TimerPurpose::Nothing);
        }
        segment
    }

    /// `tcp_fastopen_synack_timer`: one more try than without data; from the second on, what was
    /// sent counts as lost.
    pub(super) fn on_early_timeout(&mut self, now: Time) {
        self.counters.timeouts += 1;
        if self.retries > self.config.syn_ack_retries {
            self.fail(Failure::TimedOut);
            return;
        }
        self.retries += 1;
        self.rtt.back_off_syn(self.retries, 0);
        if self.retries == 2 {
            let view = self.view(now, None);
            if let Some(sender) = &mut self.linux {
                sender.on_timeout(&view, &mut self.congestion);
                sender.set_order(RexmitOrder::Nothing);
            }
        }
        self.urgent.owe_syn();
    }

    /// The SYN-ACK of an early connection is acknowledged (`tcp_rcv_synrecv_state_fastopen`): the
    /// window is scaled from here on, and the timer is that of the data.
    pub(super) fn confirm_early(&mut self, now: Time, segment: &Segment) {
        self.state = self.state.after(Transition::Acknowledged);
        self.urgent.forget_syn();
        let window = u64::from(segment.window) << self.peer_shift;
        self.send
            .update_window(self.receive.nxt, self.send.una, window);
        if let Some((1, sent)) = self.timed {
            let rtt = self.take_timed(now, sent);
            self.rtt.note_least(now, rtt);
        }
        self.retries = 0;
        self.timers.cancel(Timer::Retransmission);
        if let Some(mut sender) = self.linux.take() {
            self.rearm_timeout(&mut sender, now);
            self.linux = Some(sender);
        }
        if let Some(keep_alive) = self.config.keep_alive {
            self.timers.arm(Timer::KeepAlive, now + keep_alive.idle);
        }
        if self.send.closing {
            self.state = self.state.after(Transition::Close);
        }
    }
}

/// Returns whether data are taken, and what cookie the answer gives.
fn judge(server: &FastOpenServer, shown: Option<Cookie>, payload: u32) -> (bool, Option<Cookie>) {
    match shown {
        None if payload == 0 => (false, None),
        _ if !server.needs_cookie => (true, None),
        None => (false, None),
        Some(shown) if shown == server.cookie => (true, None),
        Some(shown) if Some(shown) == server.former => (true, Some(server.cookie)),
        Some(_) => (false, Some(server.cookie)),
    }
}

/// Returns what a SYN-ACK teaches, which may answer a second SYN.
fn lesson(fast_open: &FastOpen, syn_ack: &Segment, is_second: bool) -> FastOpenLesson {
    let option = syn_ack.options.fast_open();
    let given = option.filter(|option| fast_open.has_asked && !option.cookie.is_request());
    let was_passed_over =
        fast_open.has_asked && option.is_none() && fast_open.data == 0 && !is_second;
    let was_experimental = fast_open.option.is_some_and(|asked| asked.is_experimental);
    FastOpenLesson {
        mss: syn_ack.options.mss,
        option: given,
        next_form: was_passed_over.then_some(!was_experimental),
    }
}
