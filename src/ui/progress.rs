//! The progress of a long replay or of many requests, on one line of stderr. It is printed only to a
//! terminal.

use indicatif::{HumanBytes, HumanCount, HumanDuration, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The line of progress of one piece of work; dropping it clears the line.
pub struct Progress {
    line: Option<ProgressBar>,
    since: Instant,
    total: Option<u64>,
}

/// Work that takes less than this prints no progress, as its line would only flicker.
const DELAY: Duration = Duration::from_millis(700);

impl Progress {
    /// The progress of a replay. `total` is its number of bytes, if that is known. Nothing is printed if
    /// `silent`, or if stderr is not a terminal.
    pub(super) fn new(total: Option<u64>, silent: Silence) -> Self {
        let shown = silent == Silence::No && std::io::stderr().is_terminal();
        let style = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| {
            // This does not happen: the template is a valid constant.
            ProgressStyle::default_spinner()
        });
        let line = shown.then(|| ProgressBar::new_spinner().with_style(style));
        Self { line, since: Instant::now(), total }
    }

    /// Prints the number of runs and bytes replayed so far.
    pub fn at(&self, runs: u64, bytes: u64) {
        let elapsed = self.since.elapsed();
        if let Some(line) = self.line.as_ref().filter(|_| elapsed > DELAY) {
            line.set_message(self.text(runs, bytes, elapsed));
            line.tick();
        }
    }

    /// Prints a text.
    pub fn message(&self, text: impl FnOnce() -> String) {
        self.line(|_| text());
    }

    /// Prints the number of items that are done.
    pub fn items(&self, done: u64, total: u64) {
        if let Some(line) = self.line.as_ref().filter(|_| self.since.elapsed() > DELAY) {
            line.set_message(format!("{} of {}", HumanCount(done), HumanCount(total)));
            line.tick();
        }
    }

    /// Prints a line.
    fn line(&self, text: impl FnOnce(Duration) -> String) {
        let elapsed = self.since.elapsed();
        if let Some(line) = self.line.as_ref().filter(|_| elapsed > DELAY) {
            line.set_message(text(elapsed));
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

/// The progress of simulated clusters. Several threads report to it.
pub struct SimulatedProgress {
    progress: Progress,
    /// The simulated time of the latest report, in nanoseconds.
    time: AtomicI64,
    /// The number of ended jobs of all runs.
    jobs: AtomicU64,
    ended: AtomicUsize,
    runs: usize,
}

impl SimulatedProgress {
    pub(super) fn new(progress: Progress, runs: usize) -> Self {
        let (time, jobs, ended) = Default::default();
        Self { progress, time, jobs, ended, runs }
    }

    /// Whether progress is printed at all.
    pub fn is_shown(&self) -> bool {
        self.progress.line.is_some()
    }

    /// Reports the simulated time of a run, in nanoseconds, and whether a job has ended.
    pub fn at(&self, time: i64, is_job_over: bool) {
        // The figures are only printed, so they need no order among each other.
        self.time.store(time, Ordering::Relaxed);
        self.jobs.fetch_add(is_job_over.into(), Ordering::Relaxed);
    }

    /// Reports the end of a run.
    pub fn run_ended(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    /// Prints simulated time, jobs and rate, and the number of ended runs if there are several.
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate")]
    pub fn show(&self) {
        const HOUR: i64 = 3600 * 1_000_000_000;
        self.progress.line(|elapsed| {
            let jobs = self.jobs.load(Ordering::Relaxed);
            let rate = HumanCount((jobs as f64 / elapsed.as_secs_f64()) as u64);
            let hours = self.time.load(Ordering::Relaxed) / HOUR;
            let text =
                format!("{hours} h simulated, {} jobs over, {rate} a second", HumanCount(jobs));
            match self.runs {
                1 => text,
                runs => {
                    format!("{text}, {} of {runs} runs", self.ended.load(Ordering::Relaxed))
                }
            }
        });
    }
}

/// Whether progress is suppressed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Silence {
    /// Progress is not printed.
    Yes,
    /// Progress is printed.
    No,
}
