//! How far a long replay or many requests have come, on one line of a terminal's stderr. Elsewhere nothing is shown.

use indicatif::{HumanBytes, HumanCount, HumanDuration, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// A replay on its way. Gone when it is dropped.
pub struct Progress {
    line: Option<ProgressBar>,
    since: Instant,
    total: Option<u64>,
}

/// What takes less than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(700);

impl Progress {
    /// A replay of so many bytes, if that is known; nothing is shown if `silent` or where nobody
    /// looks.
    pub(super) fn new(total: Option<u64>, silent: Silence) -> Self {
        let shown = silent == Silence::No && std::io::stderr().is_terminal();
        let style = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| {
            // The template is a constant that is one.
            ProgressStyle::default_spinner()
        });
        let line = shown.then(|| ProgressBar::new_spinner().with_style(style));
        Self { line, since: Instant::now(), total }
    }

    /// So many runs and bytes have been replayed.
    pub fn at(&self, runs: u64, bytes: u64) {
        let elapsed = self.since.elapsed();
        if let Some(line) = self.line.as_ref().filter(|_| elapsed > PATIENCE) {
            line.set_message(self.text(runs, bytes, elapsed));
            line.tick();
        }
    }

    /// So many things of so many are done.
    pub fn items(&self, done: u64, total: u64) {
        if let Some(line) = self.line.as_ref().filter(|_| self.since.elapsed() > PATIENCE) {
            line.set_message(format!("{} of {}", HumanCount(done), HumanCount(total)));
            line.tick();
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate"
    )]
    fn text(&self, runs: u64, bytes: u64, elapsed: Duration) -> String {
        let seconds = elapsed.as_secs_f64();
        let rate = HumanCount((runs as f64 / seconds) as u64);
        let mut text = format!("{} runs, {rate} a second, {}", HumanCount(runs), HumanBytes(bytes));
        if let Some(total) = self.total.filter(|total| *total >= bytes) {
            let left = (total - bytes) as f64 * seconds / bytes.max(1) as f64;
            let left = HumanDuration(Duration::from_secs_f64(left.min(1e6)));
            text += &format!(" of {}, {left} left", HumanBytes(total));
        }
        text
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
    }
}

/// Whether progress is kept to oneself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Silence {
    /// It was asked for.
    Yes,
    /// It was not.
    No,
}
