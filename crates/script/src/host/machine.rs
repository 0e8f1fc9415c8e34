//! The simulated host as the machine that a script is played against.

use std::collections::VecDeque;

use units::{Duration, Time};

use super::Host;
use super::fast_open::Remembered;
use super::wait::Wait;
use crate::ast::{Call, IcmpMessage, ScriptPacket};
use crate::code::Value;
use crate::machine::{CallReply, CallTrouble, Machine, MachineSegment, MachineStop};
use crate::refusal::Refusal;
use crate::settings::{self, Settings};
use crate::tcp_info;
use crate::wire::Translation;

/// Longer than any timer of a stack runs.
const PATIENCE: Duration = Duration::from_secs(300);
/// More timers than this at one instant mean that the endpoint does not come to rest.
const ROUNDS_MAX: u32 = 100_000;

impl Machine for Host {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn now(&self) -> Time {
        self.now
    }

    fn patience(&self) -> Duration {
        PATIENCE
    }

    fn timer_lateness(&self, _wait: Duration) -> Option<Duration> {
        None
    }

    fn begin(&mut self) {}

    fn advance(&mut self, until: Time, until_sent: bool) -> MachineStop {
        for _ in 0..ROUNDS_MAX {
            if self.is_restless() {
                break;
            }
            while let Some(sent) = self.queue.leave(self.now) {
                self.sent.push_back(sent);
            }
            if let Some(reply) = self.attempt_waiting() {
                return MachineStop::Returned(Ok(reply));
            }
            if until_sent && !self.sent.is_empty() {
                return MachineStop::Sent;
            }
            let timers = self.flows.iter().map(|flow| flow.connection.wake_at());
            let deadline = self.waiting.as_ref().map(Wait::deadline);
            let departure = [self.queue.next()];
            let wake = timers.chain(deadline).chain(departure).min();
            let wake = wake.unwrap_or(Time::NEVER);
            if wake > until || wake == Time::NEVER {
                self.now = self.now.max(until);
                return MachineStop::Time;
            }
            self.now = self.now.max(wake);
            for flow in &mut self.flows {
                flow.connection.on_timer(self.now);
            }
            self.settle();
        }
        MachineStop::Restless
    }

    fn receive(&mut self, packet: &ScriptPacket) -> Result<(), CallTrouble> {
        self.arrive(packet);
        Ok(())
    }

    fn receive_icmp(&mut self, message: &IcmpMessage) -> Result<(), CallTrouble> {
        self.take_icmp(message)
    }

    fn call(&mut self, call: &Call) -> Result<CallReply, CallTrouble> {
        let reply = self.dispatch(call);
        self.settle();
        reply
    }

    fn bind_descriptor(&mut self, descriptor: i64, reply: &CallReply) {
        if let CallReply::Descriptor(made) = reply {
            self.descriptors
                .insert(descriptor, self.made[*made].clone());
        }
    }

    fn command(&mut self, line: u32, text: &str) -> Result<(), Refusal> {
        let route = self.settings.route_mtu;
        settings::command(&mut self.settings, line, text)?;
        if self.settings.route_mtu != route {
            self.change_route();
        }
        if std::mem::take(&mut self.settings.forgets_peers) {
            self.server = Remembered::default();
        }
        self.pace();
        Ok(())
    }

    fn lookup(&self, name: &str) -> Option<Value> {
        tcp_info::constant(name).or_else(|| self.tcp_info(name))
    }

    fn sent(&self) -> &VecDeque<MachineSegment> {
        &self.sent
    }

    fn take_sent(&mut self) -> Option<MachineSegment> {
        self.sent.pop_front()
    }

    fn pass_over_others(&mut self) {
        let under_test = self.under_test;
        self.sent.retain(|sent| sent.connection == under_test);
    }

    fn numbers(&mut self, connection: usize) -> &mut Translation {
        &mut self.flows[connection].numbers
    }
}
