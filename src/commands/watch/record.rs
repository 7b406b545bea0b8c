//! The record of `watch --record`: the lines of the server.
//!
//! The file is its own state. A watch that goes on cuts the line that is not whole, and begins behind the last event.

use crate::cli::Refusal;
use crate::commands::output_file::{lock, refuse_existing, write_error};
use crate::input::Encoding;
use anyhow::Result;
use client::{Event, JobSet};
use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The file, at its end. It is locked.
pub(super) struct Record {
    path: PathBuf,
    file: BufWriter<File>,
    is_empty: bool,
    /// Whether this process has made the file.
    is_new: bool,
}

/// The bytes that are read at first to find the last line: more than most events have.
const TAIL: u64 = 64 << 10;

impl Record {
    /// Begins a record. A file that exists is not overwritten.
    pub fn begin(path: &Path) -> Result<Self> {
        refuse_name(path)?;
        refuse_existing(path)?;
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        let file = lock(file.map_err(|error| write_error(path, &error))?, path)?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file), is_empty: true, is_new: true })
    }

    /// Goes on with a record of a job set, or begins it. Returns the id of its last event; empty if there is none.
    pub fn resume(path: &Path, job_set: &JobSet) -> Result<(Self, String)> {
        refuse_name(path)?;
        let is_new = !path.exists();
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = lock(file.map_err(|error| write_error(path, &error))?, path)?;
        let (end, line) = last_line(&mut file).map_err(|error| write_error(path, &error))?;
        if end == 0 && !begins_with_event(&mut file).map_err(|error| write_error(path, &error))? {
            return Err(refuse_other_file(path).into());
        }
        let last = if line.is_empty() { String::new() } else { last_id(path, &line, job_set)? };
        file.set_len(end)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .map_err(|error| write_error(path, &error))?;
        let (path, file, is_empty) = (path.to_owned(), BufWriter::new(file), end == 0);
        Ok((Self { path, file, is_empty, is_new }, last))
    }

    /// Appends events, and passes them to the system: a killed process loses none of them.
    pub fn append(&mut self, events: &[Event]) -> Result<()> {
        self.is_empty &= events.is_empty();
        let mut lines = events.iter();
        let written = lines.try_for_each(|event| writeln!(self.file, "{}", event.line));
        Ok(written
            .and_then(|()| self.file.flush())
            .map_err(|error| write_error(&self.path, &error))?)
    }

    /// Ends the record: writes it to the disk.
    pub fn finish(&self) -> Result<()> {
        let written = self.file.get_ref().sync_data();
        Ok(written.map_err(|error| write_error(&self.path, &error))?)
    }

    /// Ends the record with an error. Returns whether it can be resumed: an empty one that this process has made is
    /// removed, as the address or the names may be wrong.
    pub fn give_up(self) -> bool {
        if self.is_empty && self.is_new {
            let _ = fs::remove_file(&self.path);
        }
        !self.is_empty
    }
}

/// Refuses `-`, and names of compressed files: a record is read again and appended to.
fn refuse_name(path: &Path) -> Result<(), Refusal> {
    if path.as_os_str() == "-" {
        let message = "`--record -`: a record is a file";
        return Err(Refusal::usage(message).help("`-o json` prints the events to stdout"));
    }
    if Encoding::from_name(path).is_none() {
        return Ok(());
    }
    let message = format!("`{}`: a record of `watch` is not compressed", path.display());
    Err(Refusal::usage(message).help("give it a name without .gz or .zst, and compress it later"))
}

/// Whether a file is empty, or begins as a line of the server does, which may be cut.
fn begins_with_event(file: &mut File) -> io::Result<bool> {
    const EVENT: &[u8] = b"{\"result\":";
    file.seek(SeekFrom::Start(0))?;
    let mut head = Vec::new();
    file.take(EVENT.len() as u64).read_to_end(&mut head)?;
    Ok(EVENT.starts_with(&head))
}

fn refuse_other_file(path: &Path) -> Refusal {
    let message =
        format!("the last line of `{}` is not an event of Armada's gateway", path.display());
    Refusal::input(message).help("give `--record` another name")
}

/// The end of the whole lines of a file, and the last of them that is not empty.
fn last_line(file: &mut File) -> io::Result<(u64, Vec<u8>)> {
    let size = file.metadata()?.len();
    let mut length = TAIL;
    loop {
        let start = size.saturating_sub(length);
        file.seek(SeekFrom::Start(start))?;
        let mut tail = Vec::new();
        file.read_to_end(&mut tail)?;
        let end = tail.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
        let lines = tail[..end.unwrap_or(0)].trim_ascii_end();
        let line = lines.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
        if start == 0 || line.is_some() {
            let end = start + end.unwrap_or(0) as u64;
            return Ok((end, lines[line.unwrap_or(0)..].to_vec()));
        }
        // Each read begins anew; growing by a factor, all of them are a third more than the last.
        length *= 4;
    }
}

/// The id of the last event of a record, which has to be of the job set.
fn last_id(path: &Path, line: &[u8], job_set: &JobSet) -> Result<String, Refusal> {
    let file = path.display();
    let value: Value = serde_json::from_slice(line).unwrap_or_default();
    let event = value["result"]["message"].as_object().and_then(|it| it.values().next());
    let (Some(id), Some(event)) = (value["result"]["id"].as_str(), event) else {
        return Err(refuse_other_file(path));
    };
    let text = |key: &str| event[key].as_str().unwrap_or_default();
    let (queue, set) = (text("queue"), text("jobSetId"));
    if (queue, set) == (job_set.queue.as_str(), job_set.id.as_str()) {
        return Ok(id.to_owned());
    }
    let JobSet { queue: own, id } = job_set;
    let message = format!(
        "`{file}` has events of the job set `{set}` of the queue `{queue}`, not of `{id}` of `{own}`"
    );
    Err(Refusal::input(message).help("give `--record` another name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_whole_line_is_found() {
        let long = "x".repeat(300_000);
        for (text, end, line) in [
            ("", 0, ""),
            ("half", 0, ""),
            ("a\n", 2, "a"),
            ("a\nb\nhalf", 4, "b"),
            ("a\n\n\n", 4, "a"),
            (&format!("a\n{long}\n{long}"), 300_003, &long),
            (&format!("{long}\n{long}"), 300_001, &long),
        ] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            assert_eq!(last_line(&mut file).unwrap(), (end, line.as_bytes().to_vec()));
        }
    }
}
