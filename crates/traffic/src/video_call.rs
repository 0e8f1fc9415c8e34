//! A video call: both ends see each other.

use units::Duration;
use units::declaration::{Declared, Metric};

use crate::deadline::{IN_TIME, SENT, missed};
use crate::frames::{FrameSource, FrameTrace};
use crate::pictures::{Assembly, Camera, is_in_time};
use crate::synthetic::{CALL, Synthetic};
use crate::{About, App, Net, ReceivedDatagram, Report, Transport, wake_from};

units::declare! {
    /// A video call, over datagrams in both directions: the frames of a trace, or synthetic ones.
    pub struct Config = "video-call" {
        /// sizes of the frames, in the format of the TU Berlin's archive; each end begins somewhere
        /// in it; absent: synthetic frames with the statistics of its H.263 "Lecture Room Cam"
        trace: Option<FrameTrace> = Field::of(Quantity::Frames).of_file().optional()
            .from("Fitzek and Reisslein 2001: 618 bytes in the mean, 12.5 a second"),
        /// bytes of a datagram; the last one of a frame may have fewer
        payload: u32 = Field::size().within(64.0, 1472.0)
            .or(Default::Count(512))
            .from("janevski2009 §III"),
        /// age at which a frame comes too late
        deadline: Duration = Field::duration().positive()
            .or(Default::Text("150 ms"))
            .from("ITU-T G.114: one-way delay that conversations hardly suffer from"),
    }
}

pub const ABOUT: About = About {
    transport: Transport::Udp,
    answers: true,
    records: false,
    metrics: &[
        Declared {
            metric: Metric {
                name: "missed_frames",
                label: "Missed frames",
                unit: "",
                about: "share of the caller's frames that the other end did not have within the deadline",
            },
            value: |of| missed(of.initiator[SENT], of.responder[IN_TIME]),
        },
        Declared {
            metric: Metric {
                name: "missed_frames_back",
                label: "Missed frames back",
                unit: "",
                about: "share of the other end's frames that the caller did not have within the deadline",
            },
            value: |of| missed(of.responder[SENT], of.initiator[IN_TIME]),
        },
    ],
};

/// An end of a call, the caller's if it `CALLS`.
#[derive(Clone, Debug)]
pub struct VideoCallEnd<const CALLS: bool> {
    camera: Camera,
    assembly: Assembly,
    deadline: Duration,
    counts: [u64; 2],
}

/// The caller.
pub type Initiator = VideoCallEnd<true>;
/// Who is called.
pub type Responder = VideoCallEnd<false>;

impl<const CALLS: bool> VideoCallEnd<CALLS> {
    /// An end that has not started.
    pub fn new(config: &Config) -> Self {
        let source = FrameSource::new(&config.trace, Synthetic::new(CALL));
        VideoCallEnd {
            camera: Camera::new(source, config.payload),
            assembly: Assembly::default(),
            deadline: config.deadline,
            counts: [0; 2],
        }
    }
}

impl<const CALLS: bool> App for VideoCallEnd<CALLS> {
    fn on_start(&mut self, net: &mut impl Net) {
        let first_at = self.camera.begin(net);
        wake_from(first_at, self, net);
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        self.camera.send(net);
        self.counts[SENT] += 1;
    }

    fn on_datagram(&mut self, datagram: ReceivedDatagram, net: &mut impl Net) {
        if !CALLS {
            net.report(Report::Delivered(u64::from(datagram.payload)));
        }
        if let Some(picture) = self.assembly.take(datagram) {
            let in_time = is_in_time(picture, self.deadline, net.now());
            self.counts[IN_TIME] += u64::from(in_time);
        }
    }

    fn counts(&self) -> &[u64] {
        &self.counts
    }
}

#[cfg(test)]
mod tests {
    use units::Time;

    use super::*;
    use crate::ApplicationCounts;
    use crate::test_host::TestHost;

    #[test]
    fn a_frame_that_comes_late_is_missed() {
        let mut test_host = TestHost::default();
        let mut call = Initiator::new(&Config {
            trace: None,
            payload: 1472,
            deadline: Duration::from_millis(150),
        });
        call.on_start(&mut test_host);
        let (tags, sent) = (test_host.tags.clone(), Time::ZERO);
        for (tag, millis) in [(tags[0], 150), (tags[0] + (1 << 32), 151)] {
            let datagram = ReceivedDatagram {
                payload: 618,
                tag,
                sent,
            };
            call.on_datagram(datagram, test_host.at_millis(millis));
        }
        let counts = ApplicationCounts {
            initiator: vec![2, 0],
            responder: call.counts().to_vec(),
        };
        assert_eq!((ABOUT.metrics[0].value)(&counts), Some(0.5));
    }
}
