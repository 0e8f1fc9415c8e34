//! ICMP messages to the host, as `tcp_v4_err` takes them.

use tcp::State;

use super::Host;
use crate::ast::IcmpMessage;
use crate::machine::CallTrouble;
use crate::symbols::{self, Errno, IcmpMeaning, PATH_MTU_MIN, icmp_meaning};

impl Host {
    pub(super) fn take_icmp(&mut self, message: &IcmpMessage) -> Result<(), CallTrouble> {
        let meaning = icmp_meaning(message)?;
        let index = self.under_test;
        let Some(flow) = self.flows.get(index).filter(|flow| !flow.is_over) else {
            return Ok(());
        };
        let quoted = flow.numbers.sequence_number(message.quoted.unwrap_or(0));
        let Some(errno) = meaning
            .errno
            .filter(|_| flow.connection.is_outstanding(quoted))
        else {
            return Ok(());
        };
        let is_request = flow.connection.state() == State::SynReceived && flow.listener.is_some();
        if !is_request {
            self.follow_icmp(index, message, meaning, errno)?;
        } else if meaning.ends_request {
            self.flows[index].connection.forget();
        }
        self.settle();
        Ok(())
    }

    fn follow_icmp(
        &mut self,
        index: usize,
        message: &IcmpMessage,
        meaning: IcmpMeaning,
        errno: Errno,
    ) -> Result<(), CallTrouble> {
        let headers = self.settings.headers;
        let learns = self.learns_path_mtu(index);
        let flow = &mut self.flows[index];
        if meaning.is_too_big {
            if !learns {
                return Ok(());
            }
            let mtu = message.mtu.unwrap_or(0).max(PATH_MTU_MIN);
            let limit = mtu.saturating_sub(headers);
            flow.connection.on_smaller_path(self.now, limit);
            flow.mtu = Some(flow.mtu.unwrap_or(mtu).min(mtu));
            return Ok(());
        }
        let is_opening = flow.connection.state() == State::SynSent;
        let Some(socket) = flow.socket else {
            return Ok(());
        };
        let wants_errors = self.sockets[socket].set.get("IP_RECVERR");
        if is_opening {
            flow.connection.forget();
            self.sockets[socket].error = Some(errno);
        } else if wants_errors.is_some_and(|wants| *wants != 0) {
            flow.happenings += 1;
            self.sockets[socket].error = Some(errno);
        } else {
            flow.soft_error = Some(errno);
        }
        Ok(())
    }

    /// Returns whether the connection's socket discovers what the path takes (tcp_v4_mtu_reduced,
    /// ip(7)).
    fn learns_path_mtu(&self, index: usize) -> bool {
        const NOT: [&str; 3] = [
            "IP_PMTUDISC_DONT",
            "IP_PMTUDISC_INTERFACE",
            "IP_PMTUDISC_OMIT",
        ];
        let set = |socket: usize| self.sockets[socket].set.get("IP_MTU_DISCOVER").copied();
        let chosen = self.flows[index].socket.and_then(set);
        let is_locked = self.settings.path_mtu_is_locked;
        !is_locked
            && chosen
                .is_none_or(|chosen| NOT.iter().all(|name| symbols::value(name) != Some(chosen)))
    }
}
