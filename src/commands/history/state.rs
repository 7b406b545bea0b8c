//! A fetch on disk: the lines so far, and the query with its position.
//!
//! Lines are appended to `FILE.part`. Behind each window of time, `FILE.state` says how many bytes of it are complete,
//! and which window is next. A killed fetch may leave lines behind these; they are cut off when it is resumed, so that
//! nothing is lost or doubled.

use crate::cli::Refusal;
use crate::commands::output_file::write_error;
use crate::input::Encoding;
use anyhow::Result;
use client::JobFilter;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The first window.
const FIRST_WINDOW: SignedDuration = SignedDuration::from_hours(1);
/// The longest and the shortest window.
const LONGEST_WINDOW: SignedDuration = SignedDuration::from_hours(24);
const SHORTEST_WINDOW: SignedDuration = SignedDuration::from_secs(1);

/// The query, the position and the counts of a fetch.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct State {
    /// The address of Lookout.
    pub url: String,
    pub queues: Vec<String>,
    /// Whether the errors and debug JSON of failed runs are fetched.
    pub texts: bool,
    /// The jobs submitted from this time on, RFC 3339.
    from: String,
    to: String,
    /// The begin of the next window.
    next: String,
    /// The length of the next window, in seconds.
    window: i64,
    /// The complete bytes of the part.
    bytes: u64,
    pub counts: Counts,
}

/// The jobs and runs that a fetch has written.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Counts {
    pub jobs: u64,
    pub runs: u64,
    /// Runs that failed, and how many of them have an error and debug JSON.
    pub failed: u64,
    pub errors: u64,
    pub debug: u64,
}

impl State {
    /// The begin of a fetch.
    pub fn new(
        url: String,
        queues: Vec<String>,
        texts: bool,
        from: Timestamp,
        to: Timestamp,
    ) -> Self {
        Self {
            url,
            queues,
            texts,
            from: from.to_string(),
            to: to.to_string(),
            next: from.to_string(),
            window: FIRST_WINDOW.as_secs(),
            bytes: 0,
            counts: Counts::default(),
        }
    }

    /// The jobs of the next window; `None` behind the last.
    pub fn filter(&self) -> Option<JobFilter> {
        let (next, to) = (time(&self.next)?, time(&self.to)?);
        let window = SignedDuration::from_secs(self.window.max(1));
        let end = next.checked_add(window).map_or(to, |end| end.min(to));
        (next < to).then(|| JobFilter { queues: self.queues.clone(), from: next, to: end })
    }

    /// Goes on behind a window with `pages` pages. Windows depend on the jobs alone, so that a resumed fetch writes what
    /// one without an interruption does.
    fn advance(&mut self, filter: &JobFilter, pages: usize) {
        let window = SignedDuration::from_secs(self.window);
        let window = match pages {
            0 | 1 => (window * 2).min(LONGEST_WINDOW),
            2..=10 => window,
            _ => (window / 2).max(SHORTEST_WINDOW),
        };
        self.window = window.as_secs();
        self.next = filter.to.to_string();
    }

    /// The part of the time that is done, from 0 to 1.
    pub fn done(&self) -> f64 {
        let seconds = |text: &str| time(text).map_or(0.0, |time| time.as_duration().as_secs_f64());
        let (from, next, to) = (seconds(&self.from), seconds(&self.next), seconds(&self.to));
        if to > from { (next - from) / (to - from) } else { 1.0 }
    }

    /// The period of the query, for messages.
    pub fn period(&self) -> String {
        format!("{} to {}", self.from, self.to)
    }
}

fn time(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

/// The files of a fetch.
pub(super) struct Files {
    record: PathBuf,
    part: PathBuf,
    state: PathBuf,
    /// The part, at its end.
    file: BufWriter<File>,
}

/// The path with another ending behind its own.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The names of the part and of the state of a record.
fn names(record: &Path) -> (PathBuf, PathBuf) {
    (beside(record, ".part"), beside(record, ".state"))
}

impl Files {
    /// Begins a fetch. A record that exists, or an interrupted fetch, is not overwritten.
    pub fn begin(record: &Path, state: &State) -> Result<Self> {
        let (part, state_file) = names(record);
        if record.exists() {
            let message = format!("`{}` exists", record.display());
            return Err(Refusal::input(message)
                .help("remove it, or give `--record` another name")
                .into());
        }
        if state_file.exists() {
            let message = format!("an interrupted fetch is in `{}`", part.display());
            let help =
                format!("go on with `--resume`, or remove it and `{}`", state_file.display());
            return Err(Refusal::input(message).help(help).into());
        }
        let file = File::create(&part).map_err(|error| write_error(&part, &error))?;
        let mut files =
            Self { record: record.to_owned(), part, state: state_file, file: BufWriter::new(file) };
        files.save(state)?;
        Ok(files)
    }

    /// Goes on with an interrupted fetch.
    pub fn resume(record: &Path) -> Result<(Self, State)> {
        let (part, state_file) = names(record);
        let text = match fs::read(&state_file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let message = format!("there is no interrupted fetch of `{}`", record.display());
                return Err(Refusal::input(message).help("leave `--resume` out").into());
            }
            text => text.map_err(|error| read_error(&state_file, &error))?,
        };
        let state: State = serde_json::from_slice(&text)
            .map_err(|error| read_error(&state_file, &io::Error::from(error)))?;
        let mut file = OpenOptions::new()
            .write(true)
            .open(&part)
            .map_err(|error| read_error(&part, &error))?;
        let length = file.seek(SeekFrom::End(0)).map_err(|error| read_error(&part, &error))?;
        if length < state.bytes {
            let message =
                format!("`{}` is shorter than `{}` says", part.display(), state_file.display());
            return Err(Refusal::input(message).help("remove both, and fetch again").into());
        }
        file.set_len(state.bytes)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .map_err(|error| write_error(&part, &error))?;
        let file = BufWriter::new(file);
        Ok((Self { record: record.to_owned(), part, state: state_file, file }, state))
    }

    /// Appends a line.
    pub fn line(&mut self, line: &str) -> Result<()> {
        Ok(writeln!(self.file, "{line}").map_err(|error| write_error(&self.part, &error))?)
    }

    /// Ends a window: the lines of it are on the disk before the state says so.
    pub fn commit(&mut self, state: &mut State, filter: &JobFilter, pages: usize) -> Result<()> {
        let end = self.file.flush().and_then(|()| {
            let file = self.file.get_mut();
            file.sync_data()?;
            file.stream_position()
        });
        state.bytes = end.map_err(|error| write_error(&self.part, &error))?;
        state.advance(filter, pages);
        self.save(state)
    }

    /// Replaces the state as a whole.
    fn save(&mut self, state: &State) -> Result<()> {
        let temporary = beside(&self.state, ".tmp");
        let text = serde_json::to_vec(state).map_err(io::Error::from);
        let saved = text.and_then(|text| {
            let mut file = File::create(&temporary)?;
            file.write_all(&text)?;
            file.sync_data()?;
            fs::rename(&temporary, &self.state)
        });
        Ok(saved.map_err(|error| write_error(&self.state, &error))?)
    }

    /// Gives the record its name, compressed as that says, and removes the other files.
    pub fn finish(self) -> Result<()> {
        let Self { record, part, state, file } = self;
        drop(file);
        let finished = match Encoding::from_name(&record) {
            None => fs::rename(&part, &record),
            Some(encoding) => compress(&part, &record, encoding),
        };
        finished.map_err(|error| write_error(&record, &error))?;
        Ok(fs::remove_file(&state).map_err(|error| write_error(&state, &error))?)
    }
}

/// Writes a file compressed under another name, and removes it.
fn compress(part: &Path, record: &Path, encoding: Encoding) -> io::Result<()> {
    let temporary = beside(record, ".tmp");
    let write = || {
        let mut target = BufWriter::new(File::create(&temporary)?);
        encoding.compress(BufReader::new(File::open(part)?), &mut target)?;
        target.flush()?;
        target.get_ref().sync_data()?;
        fs::rename(&temporary, record)
    };
    write().inspect_err(|_| _ = fs::remove_file(&temporary))?;
    fs::remove_file(part)
}

fn read_error(path: &Path, error: &io::Error) -> Refusal {
    Refusal::input(format!("cannot read `{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(hours: i64) -> State {
        let at = |hours| Timestamp::from_second(hours * 3_600).unwrap();
        State::new("http://l".to_owned(), Vec::new(), true, at(0), at(hours))
    }

    #[test]
    fn windows_cover_the_period_without_gaps() {
        let mut state = state(1_000);
        let mut end = Timestamp::UNIX_EPOCH;
        for pages in [0, 1, 5, 30, 12, 1].into_iter().cycle() {
            let Some(filter) = state.filter() else { break };
            assert_eq!(filter.from, end);
            assert!(filter.to > filter.from);
            end = filter.to;
            state.advance(&filter, pages);
        }
        assert_eq!(end.as_second(), 1_000 * 3_600);
        assert!((state.done() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn windows_grow_and_shrink_within_bounds() {
        let mut state = state(1_000_000);
        for (pages, expected) in [(1, 24 * 3_600), (100, 1)] {
            for _ in 0..40 {
                let filter = state.filter().unwrap();
                state.advance(&filter, pages);
            }
            assert_eq!(state.window, expected);
        }
    }
}
