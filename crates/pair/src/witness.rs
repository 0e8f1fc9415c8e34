//! Who is told what is found while both captures are gone through.

use std::ops::ControlFlow;

use super::clock::ClockLine;
use super::connection::PairedConnection;
use super::passage::{Passage, PathDirection};

/// Is told what is found.
pub(super) trait Witness {
    /// Both captures have a packet. `is_sure` says that packets of both directions tell its way;
    /// `hops` is what its time to live is larger in the first.
    fn matched(&mut self, _passage: &Passage, _is_sure: bool, _hops: Option<i16>) {}
    /// Takes the fate of a packet.
    fn passage(&mut self, _passage: &Passage) {}
    /// Bytes came through that were lost so many times.
    fn repaired(&mut self, _way: PathDirection, _times: u32) {}
    /// Bytes never came through.
    fn never_repaired(&mut self, _way: PathDirection, _times: u32) {}
    /// The last bytes under way were lost, all of them; the sender sent them again after so
    /// long, or never.
    fn tail_lost(&mut self, _way: PathDirection, _waited_ns: Option<i64>) {}
    /// A connection is over.
    fn closed(&mut self, _connection: &PairedConnection) {}
    /// Corrects the line by what was seen of the clocks, or says that there is no use in going on.
    fn steer(&self, _line: &mut ClockLine) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
