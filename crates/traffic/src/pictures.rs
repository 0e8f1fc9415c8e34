//! Pictures over datagrams: frames cut into packets, and put together at the other end.

use units::{Duration, Time};

use crate::frames::{FRAME_TIME, FrameSource};
use crate::{Net, ReceivedDatagram};

/// Sends one frame after another, each at once.
#[derive(Clone, Debug)]
pub struct Camera {
    source: FrameSource,
    packet_size: u32,
    /// Frames sent so far.
    frames: u32,
    next_at: Time,
}

impl Camera {
    /// A camera that is not on yet; packets have `packet_size` bytes, the last of a frame fewer.
    pub fn new(source: FrameSource, packet_size: u32) -> Camera {
        Camera {
            source,
            packet_size,
            frames: 0,
            next_at: Time::ZERO,
        }
    }

    /// Turns on; answers when the first frame is to be sent.
    pub fn begin(&mut self, net: &mut impl Net) -> Time {
        self.source.begin(|| net.draw());
        self.next_at = net.now() + net.phase(FRAME_TIME);
        self.next_at
    }

    /// Sends the next frame, and asks to be woken for the one behind it.
    pub fn send(&mut self, net: &mut impl Net) {
        let (bytes, gap) = self.source.next(|| net.draw());
        let packets = bytes.div_ceil(self.packet_size);
        for packet in 0..packets {
            let left = bytes - packet * self.packet_size;
            let tag = Tag {
                frame: self.frames,
                packet: packet as u16,
                packets: packets as u16,
            };
            net.send(left.min(self.packet_size), tag.written());
        }
        self.frames += 1;
        self.next_at += gap;
        net.wake_at(self.next_at);
    }
}

/// Contents of a packet besides the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tag {
    frame: u32,
    packet: u16,
    packets: u16,
}

impl Tag {
    fn written(self) -> u64 {
        u64::from(self.frame) << 32 | u64::from(self.packet) << 16 | u64::from(self.packets)
    }

    fn read(tag: u64) -> Tag {
        Tag {
            frame: (tag >> 32) as u32,
            packet: (tag >> 16) as u16,
            packets: tag as u16,
        }
    }
}

/// A frame that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Its number.
    pub frame: u32,
    /// Time when it was sent.
    pub sent: Time,
}

/// Puts frames together from their packets.
#[derive(Clone, Debug)]
pub struct Assembly {
    partial: Box<[Partial; Assembly::PLACES]>,
}

/// A frame of which some packets have come.
#[derive(Clone, Copy, Debug, Default)]
struct Partial {
    /// One more than its number; 0 where there is none.
    frame: u32,
    packets: u16,
    /// Those of the first 256 packets that have come, so that none counts twice.
    come: [u64; 4],
}

impl Default for Assembly {
    fn default() -> Self {
        Assembly {
            partial: Box::new([Partial::default(); Assembly::PLACES]),
        }
    }
}

impl Assembly {
    /// Number of frames that may be under way at a time: more than a second of them.
    const PLACES: usize = 32;

    /// A packet has come; answers the frame that it completes.
    pub fn take(&mut self, datagram: ReceivedDatagram) -> Option<Picture> {
        let Tag {
            frame,
            packet,
            packets,
        } = Tag::read(datagram.tag);
        let place = &mut self.partial[frame as usize % Self::PLACES];
        if place.frame != frame + 1 {
            *place = Partial {
                frame: frame + 1,
                ..Partial::default()
            };
        }
        if let Some(word) = place.come.get_mut(usize::from(packet) / 64) {
            let bit = 1 << (packet % 64);
            if *word & bit != 0 {
                return None;
            }
            *word |= bit;
        }
        place.packets += 1;
        let sent = datagram.sent;
        (place.packets == packets).then_some(Picture { frame, sent })
    }
}

/// Returns whether a picture is there `within` so much time after it was sent.
pub fn is_in_time(picture: Picture, within: Duration, now: Time) -> bool {
    now - picture.sent <= within
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::VideoFrame;
    use crate::test_host::TestHost;
    use std::sync::Arc;

    fn packet(tag: u64) -> ReceivedDatagram {
        ReceivedDatagram {
            payload: 512,
            tag,
            sent: Time::ZERO,
        }
    }

    #[test]
    fn a_frame_leaves_in_packets_and_is_whole_when_the_last_of_them_has_come() {
        let frames = Arc::new([VideoFrame(Duration::ZERO, 1200)]);
        let mut camera = Camera::new(FrameSource::Trace(frames, 0), 512);
        let mut test_host = TestHost::default();
        camera.begin(&mut test_host);
        camera.send(&mut test_host);
        assert_eq!(test_host.sent, [512, 512, 176]);
        let [first, second, third] = [0, 1, 2].map(|at| packet(test_host.tags[at]));
        let mut assembly = Assembly::default();
        let whole = [third, first, first, second].map(|each| assembly.take(each).is_some());
        assert_eq!(
            whole,
            [false, false, false, true],
            "what comes twice counts once"
        );
    }
}
