//! Where a job stands under one set of policies, in a few bytes.

use crate::units::GoDuration;

/// Where a job stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing<S> {
    /// What the engine remembers.
    pub(super) slot: S,
    state: u32,
    wait: u32,
}

/// What is expected of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Its first run.
    Fresh,
    /// The run that a rule has granted, or that no rule has.
    Granted(Option<usize>),
    /// Nothing: it is over.
    Over,
}

const FRESH: u32 = u32::MAX;
const OVER: u32 = u32::MAX - 1;
const NO_RULE: u32 = u32::MAX - 2;

/// How long a granted run waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// So long after the run before it.
    For(GoDuration),
    /// Nobody knows until when.
    Unknown,
    /// It is written down elsewhere.
    Elsewhere,
}

const UNKNOWN: u32 = u32::MAX;
const ELSEWHERE: u32 = u32::MAX - 1;

impl<S> Standing<S> {
    pub(super) fn new(slot: S) -> Self {
        Self { slot, state: FRESH, wait: UNKNOWN }
    }

    pub(super) fn state(&self) -> State {
        match self.state {
            FRESH => State::Fresh,
            OVER => State::Over,
            NO_RULE => State::Granted(None),
            rule => State::Granted(Some(rule as usize)),
        }
    }

    pub(super) fn end(&mut self) {
        self.state = OVER;
    }

    pub(super) fn grant(&mut self, rule: Option<usize>, wait: Wait) {
        let rule = rule.and_then(|rule| u32::try_from(rule).ok());
        self.state = rule.unwrap_or(NO_RULE);
        self.wait = match wait {
            Wait::For(wait) => whole_millis(wait).unwrap_or(ELSEWHERE),
            Wait::Unknown => UNKNOWN,
            Wait::Elsewhere => ELSEWHERE,
        };
    }

    pub(super) fn wait(&self) -> Wait {
        match self.wait {
            UNKNOWN => Wait::Unknown,
            ELSEWHERE => Wait::Elsewhere,
            millis => Wait::For(GoDuration::from_nanos(i64::from(millis) * MILLI)),
        }
    }
}

const MILLI: i64 = 1_000_000;

/// A wait in whole milliseconds, if it is one of less than 49 days.
fn whole_millis(wait: GoDuration) -> Option<u32> {
    let millis = u32::try_from(wait.as_nanos() / MILLI).ok()?;
    (wait.as_nanos() % MILLI == 0 && millis < ELSEWHERE).then_some(millis)
}
