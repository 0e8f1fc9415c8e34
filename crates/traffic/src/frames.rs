//! Frames of video: what a trace of their sizes holds, and who gives one frame after another.

use std::sync::Arc;

use units::Duration;
use units::declaration::{Field, Measure};
use units::serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::synthetic::Synthetic;

/// A frame: when it leaves, from the beginning of its trace, and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(crate = "units::serde")]
pub struct VideoFrame(pub Duration, pub u32);

/// A trace by its name in a plan, which holds each trace once, and its frames as soon as they are
/// known.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameTrace {
    name: String,
    frames: Arc<[VideoFrame]>,
}

impl FrameTrace {
    /// A trace of these frames, in the order in which they leave.
    pub fn new(name: &str, frames: Arc<[VideoFrame]>) -> FrameTrace {
        let name = name.to_owned();
        FrameTrace { name, frames }
    }

    /// Returns what the plan calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Takes its frames, which all that replay it share.
    pub fn fill(&mut self, frames: &Arc<[VideoFrame]>) {
        self.frames = Arc::clone(frames);
    }
}

impl Serialize for FrameTrace {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.name.serialize(to)
    }
}

impl<'de> Deserialize<'de> for FrameTrace {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<FrameTrace, D::Error> {
        let name = String::deserialize(from)?;
        let frames = Arc::new([]);
        Ok(FrameTrace { name, frames })
    }
}

impl Measure for FrameTrace {
    fn measure(&self) -> Option<f64> {
        None
    }

    fn check(&self, field: &Field) -> Result<(), String> {
        match self.frames.is_empty() {
            true => Err(format!("{}: there are no frames", field.name)),
            false => Ok(()),
        }
    }
}

/// From one frame to the next at 25 a second, as in PAL.
pub const FRAME_TIME: Duration = Duration::from_millis(40);

/// One frame after another, without end: a trace again and again, or a synthetic stream.
#[derive(Clone, Debug)]
pub enum FrameSource {
    /// A trace, and the frame that is next.
    Trace(Arc<[VideoFrame]>, usize),
    /// Frames that are drawn.
    Synthetic(Synthetic),
}

impl FrameSource {
    /// The trace, if there is one, or else the synthetic stream.
    pub fn new(trace: &Option<FrameTrace>, otherwise: Synthetic) -> FrameSource {
        match trace {
            Some(trace) => FrameSource::Trace(Arc::clone(&trace.frames), 0),
            None => FrameSource::Synthetic(otherwise),
        }
    }

    /// A trace goes on from a frame that is drawn, as that of ns-2's Application/Traffic/Trace
    /// does: so runs differ.
    pub fn begin(&mut self, mut draw: impl FnMut() -> f64) {
        match self {
            FrameSource::Trace(frames, next) => *next = (draw() * frames.len() as f64) as usize,
            FrameSource::Synthetic(stream) => stream.begin(draw),
        }
    }

    /// The bytes of the next frame, and the time from it to the one behind it.
    pub fn next(&mut self, draw: impl FnMut() -> f64) -> (u32, Duration) {
        match self {
            FrameSource::Trace(frames, next) => {
                let VideoFrame(at, bytes) = frames[*next];
                let gap = match frames.get(*next + 1) {
                    Some(&VideoFrame(later, _)) => later - at,
                    None => last_gap(frames),
                };
                *next = (*next + 1) % frames.len();
                (bytes, gap)
            }
            FrameSource::Synthetic(stream) => stream.next(draw),
        }
    }
}

/// The first frame follows on the last one as that did on the one before; a lone frame, as in 25 a
/// second.
fn last_gap(frames: &[VideoFrame]) -> Duration {
    match frames {
        [.., VideoFrame(before, _), VideoFrame(last, _)] => *last - *before,
        _ => FRAME_TIME,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_begins_anywhere_and_again_after_its_last_frame() {
        let frames = [(0, 100), (40, 200), (120, 300)];
        let frames = frames.map(|(at, bytes)| VideoFrame(Duration::from_millis(at), bytes));
        let mut source = FrameSource::Trace(Arc::new(frames), 0);
        source.begin(|| 0.4);
        let next = [(); 4].map(|()| source.next(|| 0.0));
        let millis = next.map(|(bytes, gap)| (bytes, gap.as_nanos() / 1_000_000));
        assert_eq!(millis, [(200, 80), (300, 80), (100, 40), (200, 80)]);
    }
}
