//! A fetch on disk: the lines so far, and the query with its position.
//!
//! Lines are appended to `FILE.part`, which is locked. Behind each window of time, `FILE.state` says how many bytes of it
//! are complete, and which window is next. A killed fetch may leave lines behind these; they are cut off when it is
//! resumed, so that nothing is lost or doubled.

use crate::cli::Refusal;
use crate::commands::output_file::{
    append_ending, lock, move_compressed, refuse_existing, write_error,
};
use anyhow::Result;
use client::JobFilter;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The seconds of the first window, and of the longest.
const FIRST_WINDOW: i64 = 3_600;
const LONGEST_WINDOW: i64 = 24 * 3_600;

/// The query, the position and the counts of a fetch.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct State {
    /// The address of Lookout.
    pub url: String,
    pub queues: Vec<String>,
    /// Whether errors and debug JSON of runs are fetched.
    pub texts: bool,
    /// The jobs submitted from this time on.
    #[serde(with = "rfc3339")]
    from: Timestamp,
    /// The jobs submitted before this time.
    #[serde(with = "rfc3339")]
    to: Timestamp,
    /// The begin of the next window.
    #[serde(with = "rfc3339")]
    next: Timestamp,
    /// The length of the next window, in seconds.
    window: i64,
    /// The complete bytes of the part.
    bytes: u64,
    pub counts: Counts,
}

/// Times in the state.
mod rfc3339 {
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(time: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(time)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

/// The jobs and runs that a fetch has written.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Counts {
    pub jobs: u64,
    pub runs: u64,
    /// Runs that failed.
    pub failed: u64,
    /// Runs with an error.
    pub errors: u64,
    /// Runs with debug JSON.
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
        let (window, bytes, counts) = (FIRST_WINDOW, 0, Counts::default());
        Self { url, queues, texts, from, to, next: from, window, bytes, counts }
    }

    /// The jobs of the next window; `None` behind the last.
    pub fn filter(&self) -> Option<JobFilter> {
        let end = self.next.checked_add(SignedDuration::from_secs(self.window));
        let end = end.map_or(self.to, |end| end.min(self.to));
        (self.next < self.to).then(|| JobFilter {
            queues: self.queues.clone(),
            from: self.next,
            to: end,
        })
    }

    /// Goes on behind a window, with a longer one if it had few jobs. Windows depend on the jobs alone, so that a resumed
    /// fetch writes what one without an interruption does.
    fn advance(&mut self, filter: &JobFilter, had_few_jobs: bool) {
        if had_few_jobs {
            self.window = (self.window * 2).min(LONGEST_WINDOW);
        }
        self.next = filter.to;
    }

    /// Halves the next window. Returns whether that is possible.
    pub fn shrink(&mut self) -> bool {
        let is_possible = self.window > 1;
        self.window = (self.window / 2).max(1);
        is_possible
    }

    /// The part of the time that is done, from 0 to 1.
    pub fn done(&self) -> f64 {
        let seconds = |to: Timestamp| to.duration_since(self.from).as_secs_f64();
        if self.to > self.from { seconds(self.next) / seconds(self.to) } else { 1.0 }
    }

    /// The period of the query, for messages.
    pub fn period(&self) -> String {
        format!("{} to {}", self.from, self.to)
    }
}

/// The files of a fetch.
pub(super) struct Files {
    record: PathBuf,
    part: PathBuf,
    state: PathBuf,
    /// The part, at its end. It is locked.
    file: BufWriter<File>,
}

/// A fetch that is to be resumed.
pub(super) enum Resumed {
    /// It goes on.
    Open(Box<Files>, State),
    /// All was fetched; only its last step was missing, which is done now.
    Done(State),
}

impl Files {
    /// Begins a fetch. A record that exists, or an interrupted fetch, is not overwritten.
    pub fn begin(record: &Path, state: &State) -> Result<Self> {
        refuse_existing(record)?;
        let state_file = append_ending(record, ".state");
        let part = append_ending(record, ".part");
        if state_file.exists() {
            let message = format!("an interrupted fetch is in `{}`", part.display());
            let help =
                format!("go on with `--resume`, or remove it and `{}`", state_file.display());
            return Err(Refusal::input(message).help(help).into());
        }
        refuse_existing(&part)?;
        let file = OpenOptions::new().write(true).create_new(true).open(&part);
        let file = lock(file.map_err(|error| write_error(&part, &error))?, &part)?;
        let mut files =
            Self { record: record.to_owned(), part, state: state_file, file: BufWriter::new(file) };
        files.save(state)?;
        Ok(files)
    }

    /// Goes on with an interrupted fetch.
    pub fn resume(record: &Path) -> Result<Resumed> {
        let (part, state_file) = (append_ending(record, ".part"), append_ending(record, ".state"));
        let file = match OpenOptions::new().write(true).open(&part) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            file => Some(lock(file.map_err(|error| read_error(&part, &error))?, &part)?),
        };
        let text = match fs::read(&state_file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let message = format!("no fetch of `{}` was interrupted", record.display());
                return Err(Refusal::input(message).help("leave `--resume` out").into());
            }
            text => text.map_err(|error| read_error(&state_file, &error))?,
        };
        let mut state: State = serde_json::from_slice(&text)
            .map_err(|error| read_error(&state_file, &io::Error::from(error)))?;
        state.window = state.window.clamp(1, LONGEST_WINDOW);
        let Some(mut file) = file else {
            if state.filter().is_some() || !record.exists() {
                return Err(read_error(&part, &io::ErrorKind::NotFound.into()).into());
            }
            fs::remove_file(&state_file).map_err(|error| write_error(&state_file, &error))?;
            return Ok(Resumed::Done(state));
        };
        if file.metadata().map_err(|error| read_error(&part, &error))?.len() < state.bytes {
            let why = format!("it is shorter than `{}` says", state_file.display());
            return Err(read_error(&part, &io::Error::other(why)).into());
        }
        file.set_len(state.bytes)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .map_err(|error| write_error(&part, &error))?;
        let file = BufWriter::new(file);
        let files = Self { record: record.to_owned(), part, state: state_file, file };
        Ok(Resumed::Open(Box::new(files), state))
    }

    /// Appends a line.
    pub fn line(&mut self, line: &str) -> Result<()> {
        Ok(writeln!(self.file, "{line}").map_err(|error| write_error(&self.part, &error))?)
    }

    /// Ends a window: writes its lines to the disk, and then the state.
    pub fn commit(
        &mut self,
        state: &mut State,
        filter: &JobFilter,
        had_few_jobs: bool,
    ) -> Result<()> {
        let end = self.file.flush().and_then(|()| {
            let file = self.file.get_mut();
            file.sync_data()?;
            file.stream_position()
        });
        state.bytes = end.map_err(|error| write_error(&self.part, &error))?;
        state.advance(filter, had_few_jobs);
        self.save(state)
    }

    /// Cuts the lines of the window that is not complete.
    pub fn cut(&mut self, state: &State) -> Result<()> {
        let cut = self.file.flush().and_then(|()| {
            let file = self.file.get_mut();
            file.set_len(state.bytes)?;
            file.seek(SeekFrom::End(0)).map(|_| ())
        });
        Ok(cut.map_err(|error| write_error(&self.part, &error))?)
    }

    /// Replaces the state as a whole.
    fn save(&mut self, state: &State) -> Result<()> {
        let temporary = append_ending(&self.state, ".tmp");
        let text = serde_json::to_vec(state).map_err(io::Error::from);
        let saved = text.and_then(|text| {
            let mut file = File::create(&temporary)?;
            file.write_all(&text)?;
            file.sync_data()?;
            // A process that is killed leaves the old state or the new one, never a part.
            fs::rename(&temporary, &self.state)
        });
        Ok(saved.map_err(|error| write_error(&self.state, &error))?)
    }

    /// Ends a fetch with an error. Returns whether it can be resumed: one that has written nothing is removed, as its
    /// address may be wrong.
    pub fn give_up(self, state: &State) -> bool {
        if state.next != state.from {
            return true;
        }
        for path in [&self.part, &self.state] {
            let _ = fs::remove_file(path);
        }
        false
    }

    /// Gives the record its name, compressed as that says, and removes the other files.
    pub fn finish(&mut self) -> Result<()> {
        refuse_existing(&self.record)?;
        move_compressed(&self.part, &self.record)
            .map_err(|error| write_error(&self.record, &error))?;
        Ok(fs::remove_file(&self.state).map_err(|error| write_error(&self.state, &error))?)
    }
}

fn read_error(path: &Path, error: &io::Error) -> Refusal {
    Refusal::input(format!("cannot read `{}`: {error}", path.display()))
        .help("to begin anew, remove FILE.part and FILE.state, and leave `--resume` out")
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
        for jobs in [0, 1, 2, 0, 3, 0].into_iter().cycle() {
            for _ in 0..jobs {
                state.shrink();
            }
            let Some(filter) = state.filter() else { break };
            assert_eq!(filter.from, end);
            assert!(filter.to > filter.from);
            end = filter.to;
            state.advance(&filter, jobs == 0);
        }
        assert_eq!(end.as_second(), 1_000 * 3_600);
        assert!((state.done() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn windows_grow_and_shrink_within_bounds() {
        let mut state = state(1_000_000);
        for _ in 0..40 {
            let filter = state.filter().unwrap();
            state.advance(&filter, true);
        }
        assert_eq!(state.window, LONGEST_WINDOW);
        while state.shrink() {}
        assert_eq!(state.window, 1);
    }
}
