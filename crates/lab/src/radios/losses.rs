//! Frames that are lost by list.
//!
//! What a data frame or an RTS is for counts at its sender: its MSDUs from 1 on in the order of
//! their first attempts, the fragments of one from 1 on, and of each fragment its attempts, data
//! frames and RTS apart. An ACK or a CTS has all that of the frame it answers.

use dot11::{Frame, FrameKind};
use units::declaration::{CountedMetric, Metric};

use super::Radios;
use crate::plan::LossPlan;

/// What a list has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossCounts {
    /// Frames that have all that it lists, their number aside.
    matched: u64,
    /// Of them, those that were lost.
    lost: u64,
    /// What it lists and no lost frame has had since the run began.
    pub outstanding: u64,
}

impl LossCounts {
    /// What is reported of them, of each list.
    pub const METRICS: &[CountedMetric<LossCounts>] = &[
        CountedMetric {
            metric: Metric {
                name: "matched",
                label: "Frames met",
                unit: "frames",
                about: "frames that have all that the list asks for, their `number` aside",
            },
            count: |of| of.matched,
        },
        CountedMetric {
            metric: Metric {
                name: "lost",
                label: "Frames lost",
                unit: "frames",
                about: "frames that the list has lost",
            },
            count: |of| of.lost,
        },
    ];
}

/// All lists, and how far each radio has come.
#[derive(Debug)]
pub struct LossLists {
    lists: Vec<LossList>,
    progress: Vec<RadioProgress>,
}

/// What a radio's last data frame or RTS was for.
#[derive(Clone, Copy, Debug, Default)]
struct RadioProgress {
    msdu: u64,
    fragment: u64,
    data: u64,
    requests: u64,
}

/// What a frame is for, as lists say it.
#[derive(Clone, Copy, Debug)]
struct FramePurpose {
    msdu: u64,
    fragment: u64,
    attempt: u64,
}

/// A frame about to begin.
#[derive(Clone, Copy, Debug)]
struct FrameStart<'a> {
    /// The radio that sends it.
    from: usize,
    /// The radio it is for; none for everybody.
    to: Option<usize>,
    /// The frame.
    frame: &'a Frame,
    /// What its sender says that a data frame or RTS is for: `Mac::serving`.
    serving: (u64, u8),
}

impl LossLists {
    /// The lists of a plan, whose radios belong to `nodes`; `None` without any.
    pub fn new(lists: &[LossPlan], nodes: &[usize]) -> Option<Box<LossLists>> {
        if lists.is_empty() {
            return None;
        }
        Some(Box::new(LossLists {
            lists: lists
                .iter()
                .map(|list| LossList::new(list, nodes))
                .collect(),
            progress: vec![RadioProgress::default(); nodes.len()],
        }))
    }

    /// Returns whether a frame that begins gets lost. A list that loses it hides it from those
    /// after it.
    fn lose(&mut self, beginning: &FrameStart<'_>) -> bool {
        let place = self.place(beginning);
        self.lists
            .iter_mut()
            .any(|list| list.lose(beginning, place))
    }

    /// Returns what each list has done, in order.
    fn counts(&self) -> impl Iterator<Item = LossCounts> {
        self.lists.iter().map(|list| list.counts)
    }

    fn place(&mut self, beginning: &FrameStart<'_>) -> Option<FramePurpose> {
        let of = |progress: RadioProgress, attempt| FramePurpose {
            msdu: progress.msdu,
            fragment: progress.fragment,
            attempt,
        };
        let answered = beginning.to.map(|to| self.progress[to]);
        match beginning.frame.kind {
            FrameKind::Rts => {
                let own = self.advance(beginning);
                own.requests += 1;
                Some(of(*own, own.requests))
            }
            FrameKind::Ack => answered.map(|asked| of(asked, asked.data)),
            FrameKind::Cts if beginning.to == Some(beginning.from) => None,
            FrameKind::Cts => answered.map(|asked| of(asked, asked.requests)),
            FrameKind::Beacon => None,
            _ => {
                let own = self.advance(beginning);
                own.data += 1;
                Some(of(*own, own.data))
            }
        }
    }

    fn advance(&mut self, beginning: &FrameStart<'_>) -> &mut RadioProgress {
        let own = &mut self.progress[beginning.from];
        let (msdu, fragment_number) = beginning.serving;
        let fragment = u64::from(fragment_number) + 1;
        if (own.msdu, own.fragment) != (msdu, fragment) {
            *own = RadioProgress {
                msdu,
                fragment,
                ..RadioProgress::default()
            };
        }
        own
    }
}

impl Radios {
    /// Returns whether a frame that begins gets lost.
    #[cold]
    pub(super) fn gets_lost(&mut self, from: usize) -> bool {
        let mac = &self.each[from].mac;
        let (frame, serving) = (mac.frame(), mac.serving());
        let to = (!frame.receiver.is_broadcast()).then(|| self.of(frame.receiver));
        self.losses.as_mut().is_some_and(|losses| {
            losses.lose(&FrameStart {
                from,
                to,
                frame,
                serving,
            })
        })
    }

    /// Returns what each list of frames to be lost has done.
    pub fn loss_counts(&self) -> impl Iterator<Item = LossCounts> {
        self.losses.iter().flat_map(|losses| losses.counts())
    }
}

/// One list.
#[derive(Debug)]
struct LossList {
    /// By radio; nobody is named where all are meant.
    senders: Vec<bool>,
    receivers: Vec<bool>,
    frames: Vec<FrameKind>,
    msdu: Numbers,
    fragment: Numbers,
    attempt: Numbers,
    number: Numbers,
    counts: LossCounts,
}

impl LossList {
    fn new(list: &LossPlan, nodes: &[usize]) -> LossList {
        let radios = |named: &[usize]| match named {
            [] => Vec::new(),
            named => nodes.iter().map(|node| named.contains(node)).collect(),
        };
        let mut made = LossList {
            senders: radios(&list.senders),
            receivers: radios(&list.receivers),
            frames: list.frames.clone(),
            msdu: Numbers::new(&list.msdu),
            fragment: Numbers::new(&list.fragment),
            attempt: Numbers::new(&list.attempt),
            number: Numbers::new(&list.number),
            counts: LossCounts::default(),
        };
        made.counts.outstanding = made.outstanding();
        made
    }

    fn lose(&mut self, beginning: &FrameStart<'_>, place: Option<FramePurpose>) -> bool {
        if !self.matches(beginning, place) {
            return false;
        }
        self.counts.matched += 1;
        let number = Some(self.counts.matched);
        if !self.number.has(number) {
            return false;
        }
        self.counts.lost += 1;
        self.msdu.meet(place.map(|place| place.msdu));
        self.fragment.meet(place.map(|place| place.fragment));
        self.attempt.meet(place.map(|place| place.attempt));
        self.number.meet(number);
        self.counts.outstanding = self.outstanding();
        true
    }

    fn matches(&self, beginning: &FrameStart<'_>, place: Option<FramePurpose>) -> bool {
        let is_one_of = |radios: &[bool], radio: Option<usize>| {
            radios.is_empty() || radio.is_some_and(|radio| radios[radio])
        };
        (self.frames.is_empty() || self.frames.contains(&beginning.frame.kind))
            && is_one_of(&self.senders, Some(beginning.from))
            && is_one_of(&self.receivers, beginning.to)
            && self.msdu.has(place.map(|place| place.msdu))
            && self.fragment.has(place.map(|place| place.fragment))
            && self.attempt.has(place.map(|place| place.attempt))
    }

    /// The listed numbers that no lost frame has had; a list without numbers asks for one frame.
    fn outstanding(&self) -> u64 {
        let all = [&self.msdu, &self.fragment, &self.attempt, &self.number];
        if all.iter().all(|numbers| numbers.listed.is_empty()) {
            return u64::from(self.counts.lost == 0);
        }
        all.iter().map(|numbers| numbers.outstanding()).sum()
    }
}

/// Numbers of a list, and whether a lost frame has had each. Without any, all are meant.
#[derive(Debug)]
struct Numbers {
    listed: Vec<(u64, bool)>,
}

impl Numbers {
    fn new(listed: &[u64]) -> Numbers {
        Numbers {
            listed: listed.iter().map(|&number| (number, false)).collect(),
        }
    }

    fn has(&self, number: Option<u64>) -> bool {
        self.listed.is_empty() || self.listed.iter().any(|&(each, _)| Some(each) == number)
    }

    fn meet(&mut self, number: Option<u64>) {
        for (each, is_met) in &mut self.listed {
            *is_met |= Some(*each) == number;
        }
    }

    fn outstanding(&self) -> u64 {
        self.listed.iter().filter(|(_, is_met)| !is_met).count() as u64
    }
}
