//! A film that is watched while it comes.
//!
//! The player starts `buffer` after the first packet, and shows each frame at its time from then
//! on. A frame that is not complete by then is not shown: the picture stands, until the next one
//! that is. That frames need others to be decoded is left out.

use units::declaration::{Declared, Metric};
use units::{Duration, Time};

use crate::frames::{FrameSource, FrameTrace};
use crate::pictures::{Assembly, Camera, Picture};
use crate::synthetic::{FILM, Synthetic};
use crate::{About, App, Net, ReceivedDatagram, Report, Transport, wake_from};

units::declare! {
    /// A film as it is played, over datagrams: the frames of a trace, or synthetic ones.
    pub struct Config = "film" {
        /// sizes of the frames, in the format of the TU Berlin's archive; absent: synthetic frames
        /// with the statistics of its MPEG-4 "Star Wars IV" at high quality
        trace: Option<FrameTrace> = Field::of(Quantity::Frames).of_file().optional()
            .from("Fitzek and Reisslein 2001: 1376 bytes in the mean, 25 a second"),
        /// bytes of a datagram; the last one of a frame may have fewer
        payload: u32 = Field::size().within(64.0, 1472.0)
            .or(Default::Count(512))
            .from("janevski2009 §III"),
        /// time from the first packet's arrival to the first picture
        buffer: Duration = Field::duration()
            .or(Default::Text("1 s"))
            .from("inferred: a second of film in advance"),
    }
}

pub const ABOUT: About = About {
    transport: Transport::Udp,
    answers: false,
    records: false,
    metrics: &[
        Declared {
            metric: Metric {
                name: "unshown_frames",
                label: "Frames not shown",
                unit: "",
                about: "share of the film's frames that were not complete when they were to be shown",
            },
            value: |of| {
                let [due, shown] = [DUE, SHOWN].map(|count| of.responder[count] as f64);
                (due > 0.0).then(|| 1.0 - shown / due)
            },
        },
        Declared {
            metric: Metric {
                name: "playback_stalls",
                label: "Stalls of the film",
                unit: "stalls",
                about: "how often the picture stood, for one frame or several",
            },
            value: |of| Some(of.responder[STALLS] as f64),
        },
        Declared {
            metric: Metric {
                name: "playback_stalled_s",
                label: "Time the film stalled",
                unit: "s",
                about: "for how long the picture stood",
            },
            value: |of| Some(of.responder[STALLED] as f64 / 1e9),
        },
    ],
};

/// The sender.
#[derive(Clone, Debug)]
pub struct Initiator(Camera);

impl Initiator {
    /// A sender that has not started.
    pub fn new(config: &Config) -> Self {
        let source = FrameSource::new(&config.trace, Synthetic::new(FILM));
        Initiator(Camera::new(source, config.payload))
    }
}

impl App for Initiator {
    fn on_start(&mut self, net: &mut impl Net) {
        let first_at = self.0.begin(net);
        wake_from(first_at, self, net);
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        self.0.send(net);
    }
}

/// Frames that were to be shown up to the last that was, and how many of them were.
const DUE: usize = 0;
const SHOWN: usize = 1;
/// Number of times the picture stood, and for how many nanoseconds.
const STALLS: usize = 2;
const STALLED: usize = 3;

/// The player.
#[derive(Clone, Debug)]
pub struct Responder {
    buffer: Duration,
    assembly: Assembly,
    /// From a frame's sending to its showing.
    behind: Option<Duration>,
    last: Option<Picture>,
    counts: [u64; 4],
}

impl Responder {
    /// A player that has nothing to show.
    pub fn new(config: &Config) -> Self {
        Responder {
            buffer: config.buffer,
            assembly: Assembly::default(),
            behind: None,
            last: None,
            counts: [0; 4],
        }
    }

    /// A picture is there in time.
    fn show(&mut self, picture: Picture) {
        self.counts[SHOWN] += 1;
        // The film begins with its first frame, which may have been missed.
        let from = self.last.map_or(0, |last| last.frame + 1);
        if picture.frame < from {
            return;
        }
        let missed = u64::from(picture.frame - from);
        self.counts[DUE] += missed + 1;
        if let Some(last) = self.last
            && missed > 0
        {
            let span = (picture.sent - last.sent).as_nanos();
            self.counts[STALLS] += 1;
            self.counts[STALLED] += span * missed / (missed + 1);
        }
        self.last = Some(picture);
    }
}

impl App for Responder {
    fn on_datagram(&mut self, datagram: ReceivedDatagram, net: &mut impl Net) {
        net.report(Report::Delivered(u64::from(datagram.payload)));
        let buffer = self.buffer;
        let behind = *(self.behind).get_or_insert_with(|| net.now() - datagram.sent + buffer);
        if let Some(picture) = self.assembly.take(datagram)
            && net.now() <= Time::ZERO + behind + (picture.sent - Time::ZERO)
        {
            self.show(picture);
        }
    }

    fn counts(&self) -> &[u64] {
        &self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ApplicationCounts;
    use crate::test_host::TestHost;

    /// The only packet of a frame, 25 of which are sent a second.
    fn frame(number: u64) -> ReceivedDatagram {
        ReceivedDatagram {
            payload: 500,
            tag: number << 32 | 1,
            sent: Time::ZERO + Duration::from_millis(40 * number),
        }
    }

    #[test]
    fn the_picture_stands_for_the_frames_that_did_not_come_in_time() {
        let mut player = Responder::new(&Config {
            trace: None,
            payload: 512,
            buffer: Duration::from_millis(100),
        });
        let mut test_host = TestHost::default();
        // The first takes 10 ms, so that each is shown 110 ms after it was sent.
        for (number, millis) in [(0, 10), (1, 150), (2, 191), (4, 200), (5, 210)] {
            player.on_datagram(frame(number), test_host.at_millis(millis));
        }
        let counts = ApplicationCounts {
            initiator: Vec::new(),
            responder: player.counts().to_vec(),
        };
        let [missed, stalls, stalled] = [0, 1, 2].map(|at| (ABOUT.metrics[at].value)(&counts));
        assert_eq!(missed, Some(1.0 - 4.0 / 6.0), "number 2 was late, 3 lost");
        assert_eq!((stalls, stalled), (Some(1.0), Some(0.08)));
    }
}
