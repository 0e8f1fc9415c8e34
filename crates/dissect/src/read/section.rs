//! A section of a pcapng file, block by block.

use std::io::Read;

use super::pcapng::{
    BLOCK_FRAME, ENHANCED_PACKET, INTERFACE_DESCRIPTION, OBSOLETE_PACKET, PacketBlock,
    SECTION_HEADER, SIMPLE_PACKET,
};
use super::stop::{ReadStop, corrupt, demand, failed};
use super::window::Window;
use super::{LONGEST_PACKET, PacketPosition, Warning, pcap, pcapng, warn};

/// The longest block that is looked at as a whole: a packet with all the options it may
/// reasonably have. Longer ones hold names or secrets.
pub(super) const LONGEST_BLOCK: u32 = LONGEST_PACKET + 65_536;

/// Interfaces kept of a section; a hostile file describes them without end.
const MOST_INTERFACES: usize = 65_536;

/// State of a pcapng section so far.
#[derive(Debug, Default)]
pub(super) struct PcapngSection {
    is_big_endian: bool,
    interfaces: Vec<pcapng::PcapngInterface>,
}

impl PcapngSection {
    /// Finds the next packet block and takes in what stands before it.
    #[inline(never)]
    pub(super) fn find<R: Read>(
        &mut self,
        window: &mut Window<R>,
        warnings: &mut Vec<Warning>,
    ) -> Result<PacketPosition, ReadStop> {
        loop {
            let (kind, length) = self.open_block(window)?;
            if length > LONGEST_BLOCK {
                self.pass_over(window, length)?;
                continue;
            }
            demand(window, length as usize)?;
            let block = &window.bytes()[..length as usize];
            if pcap::u32_at(block, length as usize - 4, self.is_big_endian) != length {
                return Err(corrupt(window, "a block whose two lengths differ"));
            }
            let body = &block[8..length as usize - 4];
            match kind {
                ENHANCED_PACKET | SIMPLE_PACKET | OBSOLETE_PACKET => {
                    match self.packet(kind, body, length) {
                        Ok(found) => return Ok(found),
                        Err(what) => warn(
                            warnings,
                            Warning::Skipped {
                                at: window.position(),
                                what,
                            },
                        ),
                    }
                }
                SECTION_HEADER => self.interfaces.clear(),
                INTERFACE_DESCRIPTION => {
                    if let Err(what) = self.describe(body) {
                        return Err(corrupt(window, what));
                    }
                }
                _ => {}
            }
            window.pass(length as usize);
        }
    }

    /// Type and whole length of the block at the window's front.
    #[inline]
    fn open_block<R: Read>(&mut self, window: &mut Window<R>) -> Result<(u32, u32), ReadStop> {
        demand(window, BLOCK_FRAME as usize)?;
        let opening = window.bytes();
        let kind = pcap::u32_at(opening, 0, self.is_big_endian);
        // The type of a section header is a palindrome: it reads so in any order.
        if kind == SECTION_HEADER {
            let Some(order) = pcapng::byte_order(opening) else {
                return Err(corrupt(window, "a section header without its magic number"));
            };
            self.is_big_endian = order;
        }
        let length = pcap::u32_at(opening, 4, self.is_big_endian);
        if length < BLOCK_FRAME || !length.is_multiple_of(4) {
            return Err(corrupt(window, "a block of impossible length"));
        }
        Ok((kind, length))
    }

    fn pass_over<R: Read>(&self, window: &mut Window<R>, length: u32) -> Result<(), ReadStop> {
        let at = window.position();
        match window.skip(length.into()) {
            Ok(true) => Ok(()),
            Ok(false) => Err(ReadStop::Warning(Warning::Truncated { at })),
            Err(error) => Err(failed(window, &error)),
        }
    }

    #[inline]
    fn packet(&self, kind: u32, body: &[u8], record: u32) -> Result<PacketPosition, &'static str> {
        let block =
            PacketBlock::parse(kind, body, body.len(), self.is_big_endian, &self.interfaces)?;
        Ok(PacketPosition {
            time_ns: block.time_ns,
            link_type: self.interfaces[block.interface as usize].link_type,
            interface: block.interface,
            at: 8 + block.at,
            captured: block.captured,
            original: block.original.max(block.captured),
            record: record as usize,
        })
    }

    fn describe(&mut self, body: &[u8]) -> Result<(), &'static str> {
        if self.interfaces.len() == MOST_INTERFACES {
            return Err("more interfaces than a machine can have");
        }
        let interface = pcapng::PcapngInterface::parse(body, self.is_big_endian)
            .ok_or("an interface with a length or a unit of time that cannot be")?;
        self.interfaces.push(interface);
        Ok(())
    }
}
