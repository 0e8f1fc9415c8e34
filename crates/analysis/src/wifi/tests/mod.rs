//! Short stories on the air, frame by frame.

use super::*;
use dissect::read::CapturedPacket;
use dissect::{Dissected, Dissector};
use units::MacAddress;

mod exchanges;
mod stations;

const AP: MacAddress = MacAddress([2, 0, 0, 0, 0, 1]);
const OTHER_AP: MacAddress = MacAddress([2, 0, 0, 0, 0, 9]);
const STA: MacAddress = MacAddress([2, 0, 0, 0, 0, 2]);

/// 11 Mbit/s with the long preamble, in radiotap's units.
const CCK_11: u8 = 22;

/// Frames that a sniffer hears, and their times.
#[derive(Default)]
struct Air {
    sniffer: Sniffer,
    dissector: Dissector,
    now_us: u64,
}

fn header(
    control: [u8; 2],
    receiver: MacAddress,
    transmitter: MacAddress,
    third: MacAddress,
) -> Vec<u8> {
    let mut frame = vec![control[0], control[1], 0, 0];
    for address in [receiver, transmitter, third] {
        frame.extend(address.0);
    }
    frame
}

/// A data frame to the access point with a body of 100 bytes that holds no packet.
fn data(sequence: u16, retry: bool) -> Vec<u8> {
    let flags = 0x01 | if retry { 0x08 } else { 0 };
    let mut frame = header([0x08, flags], AP, STA, AP);
    frame.extend((sequence << 4).to_le_bytes());
    frame.extend([0; 100]);
    frame
}

fn management(
    kind: u8,
    receiver: MacAddress,
    transmitter: MacAddress,
    bssid: MacAddress,
    body: &[u8],
) -> Vec<u8> {
    let mut frame = header([kind, 0], receiver, transmitter, bssid);
    frame.extend([0, 0]);
    frame.extend(body);
    frame
}

fn ack(receiver: MacAddress) -> Vec<u8> {
    let mut frame = vec![0xD4, 0, 0, 0];
    frame.extend(receiver.0);
    frame
}

impl Air {
    /// A frame at 11 Mbit/s that begins so many microseconds behind the last; its timer is
    /// stamped as radiotap says, `late_us` microseconds after the first bit behind the preamble.
    fn hear_late(&mut self, after_us: u64, frame: &[u8], late_us: u64) {
        let start_us = self.now_us + after_us;
        let mut bytes = vec![0, 0, 23, 0, 0x2F, 0, 0, 0];
        bytes.extend((start_us + 192 + late_us).to_le_bytes());
        bytes.extend([0, CCK_11, 0x85, 0x09, 0xA0, 0, 0xD0]);
        bytes.extend(frame);
        self.hear_packet(start_us, &bytes);
        let airtime_us = 192 + (16 * (frame.len() as u64 + 4)).div_ceil(CCK_11.into());
        self.now_us = start_us + airtime_us;
    }

    /// A frame behind its radiotap header, captured at this time of the host.
    fn hear_packet(&mut self, time_us: u64, bytes: &[u8]) {
        let packet = CapturedPacket {
            time_ns: time_us * 1_000,
            link_type: 127,
            interface: 0,
            data: bytes,
            original_len: bytes.len() as u32,
        };
        let mut found = Dissected::default();
        self.dissector.take(&packet, &mut found);
        let heard = found.frames.first().expect("a frame");
        let body = heard.body(&packet);
        self.sniffer.take(heard, body, found.segments.first());
    }

    fn hear(&mut self, after_us: u64, frame: &[u8]) {
        self.hear_late(after_us, frame, 0);
    }

    fn told(self) -> Wifi {
        self.sniffer.finish(&[]).expect("frames")
    }
}

fn of(wifi: &Wifi, address: MacAddress) -> &AirStation {
    let is_it = |station: &&AirStation| station.address == Some(address);
    wifi.stations.iter().find(is_it).expect("it was heard")
}
