//! Settings of access points, which their own machines ask for and change while an emulation runs.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use lab::{InterfaceId, Setting, World};

/// Values of settings.
pub type Values = BTreeMap<Setting, u16>;

/// The longest that the loop is waited for, which answers within 50 ms unless it has ended.
const PATIENCE: Duration = Duration::from_secs(1);

/// What the loop is asked: to set a radio, and to tell how it is set then.
#[derive(Debug)]
pub struct Question {
    /// The interface of the radio.
    pub radio: InterfaceId,
    /// Values that it is given.
    pub wanted: Values,
    answer: SyncSender<Result<Values, String>>,
}

impl Question {
    /// Answers it.
    pub fn answer(&self, answer: Result<Values, String>) {
        // Who has lost patience does not hear it.
        let _ = self.answer.send(answer);
    }
}

/// Questions on their way to the loop.
#[derive(Debug, Default)]
pub struct Questions {
    waiting: Mutex<Vec<Question>>,
    any: AtomicBool,
}

impl Questions {
    /// Asks the loop, and waits for its answer.
    ///
    /// # Errors
    /// If a value is out of range, or the loop does not answer.
    pub fn ask(&self, radio: InterfaceId, wanted: Values) -> Result<Values, String> {
        let over = || "the emulation has ended".to_owned();
        let (answer, told) = sync_channel(1);
        let mut waiting = self.waiting.lock().map_err(|_| over())?;
        waiting.push(Question {
            radio,
            wanted,
            answer,
        });
        drop(waiting);
        self.any.store(true, Ordering::Release);
        told.recv_timeout(PATIENCE).map_err(|_| over())?
    }

    /// Takes what waits.
    #[inline]
    pub fn take(&self) -> Vec<Question> {
        if !self.any.load(Ordering::Relaxed) || !self.any.swap(false, Ordering::AcqRel) {
            return Vec::new();
        }
        let waiting = self.waiting.lock();
        waiting.map_or_else(|_| Vec::new(), |mut waiting| std::mem::take(&mut waiting))
    }
}

/// Refuses values that are out of range.
///
/// # Errors
/// If one is; it is named, and what is allowed.
pub fn check(wanted: &Values) -> Result<(), String> {
    let out = wanted
        .iter()
        .find(|(setting, value)| !setting.range().contains(value));
    match out {
        Some((setting, value)) => {
            let (least, most) = (setting.range().start().to_owned(), *setting.range().end());
            Err(format!("{setting:?} = {value} is not in {least} to {most}"))
        }
        None => Ok(()),
    }
}

/// Returns how a radio is set.
pub fn values_of(world: &World, radio: InterfaceId) -> Values {
    let values = Setting::ALL.into_iter();
    values
        .filter_map(|setting| Some((setting, world.setting(radio, setting)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn who_asks_hears_what_the_loop_answers() {
        let questions = Questions::default();
        assert!(questions.take().is_empty());
        thread::scope(|scope| {
            let asked = scope
                .spawn(|| questions.ask(InterfaceId(1), [(Setting::RtsThreshold, 500)].into()));
            let question = loop {
                if let Some(question) = questions.take().pop() {
                    break question;
                }
                thread::yield_now();
            };
            assert_eq!(question.radio, InterfaceId(1));
            question.answer(Ok(question.wanted.clone()));
            let told = asked.join().unwrap();
            assert_eq!(told, Ok([(Setting::RtsThreshold, 500)].into()));
        });
    }

    #[test]
    fn who_asks_a_loop_that_has_ended_is_told() {
        let told = Questions::default().ask(InterfaceId(1), Values::new());
        assert_eq!(told, Err("the emulation has ended".to_owned()));
    }

    #[test]
    fn a_value_that_the_standard_does_not_know_is_refused_by_name() {
        assert_eq!(check(&[(Setting::RtsThreshold, 2347)].into()), Ok(()));
        let refused = check(&[(Setting::FragmentationThreshold, 255)].into());
        let what = "FragmentationThreshold = 255 is not in 256 to 2346";
        assert_eq!(refused, Err(what.to_owned()));
    }
}
