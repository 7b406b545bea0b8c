//! The stream of `--follow`: two threads read it, so that the command can print and stop while it waits for bytes.

use crate::cli::Refusal;
use crate::input;
use anyhow::Result;
use client::Stop;
use replay::disruption::Disruptions;
use replay::history::{self, Format, LONGEST_LINE, Program, SourceItem, read_source};
use std::fs::File;
use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 16;
/// Chunks and messages that wait to be read: as many as keep the threads busy, so that memory is bounded.
const WAITING_CHUNKS: usize = 4;
const WAITING_PARTS: usize = 256;
/// The time after which a thread that waits for bytes looks for a stop request.
const TICK: Duration = Duration::from_millis(100);

/// A part of the stream.
pub(super) enum Part {
    /// Whole lines of records.
    Lines(Vec<u8>),
    /// An item of a program's output.
    Item(SourceItem),
    /// The end, or why it cannot be read on.
    End(io::Result<()>),
}

/// A stream that is read as it grows.
pub(super) struct Stream {
    /// Its name in messages.
    pub(super) name: String,
    /// The program whose output it is; none for records.
    pub(super) program: Option<&'static Program>,
    pub(super) parts: Receiver<Part>,
}

/// Opens the stream and waits for its first lines, which determine its format. A stop request ends it.
pub(super) fn open(
    path: &Path,
    format: Option<Format>,
    disruptions: &Disruptions,
    stop: &Stop,
) -> Result<Stream> {
    let name = input::display_name(path);
    let unreadable = |error: &io::Error| Refusal::input(format!("cannot read `{name}`: {error}"));
    let bytes: Box<dyn Read + Send> = if path.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(|error| unreadable(&error))?)
    };
    let (sender, parts) = sync_channel(WAITING_CHUNKS);
    spawn(move || read(bytes, &sender))?;
    let stop = stop.clone();
    let mut chunks = Chunks { parts, chunk: Vec::new(), at: 0, stop };
    chunks.wait_for_line().map_err(|error| unreadable(&error))?;
    let format = match format {
        Some(format) => format,
        None => history::detect(&name, &mut &chunks.chunk[..], &mut Vec::new())
            .map_err(|error| unreadable(&error))?,
    };
    let program = match format {
        _ if chunks.chunk.is_empty() => None,
        Format::Lines => None,
        Format::Of(program) if program.is_in_time_order => Some(program),
        _ => return Err(refuse_format(&name).into()),
    };
    let (sender, parts) = sync_channel(WAITING_PARTS);
    let (disruptions, of_source) = (disruptions.clone(), name.clone());
    spawn(move || {
        let end = match program {
            None => send_lines(&mut chunks, &sender),
            Some(program) => {
                let mut take = |item| match sender.send(Part::Item(item)) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                };
                read_source(program, &of_source, &mut chunks, &disruptions, &mut take)
            }
        };
        let _ = sender.send(Part::End(end));
    })?;
    Ok(Stream { name, program, parts })
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().spawn(work).map(drop)
}

fn refuse_format(name: &str) -> Refusal {
    let message = format!("`{name}` is not a stream that --follow reads");
    let help = "give JSON Lines, Armada's events or Lookout's jobs, decompressed; others are replayed without --follow";
    Refusal::input(message).help(help)
}

/// Sends the bytes as they come, until their end or an error. This thread may wait for bytes until the process ends.
fn read(mut bytes: Box<dyn Read + Send>, sender: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        let mut chunk = vec![0; CHUNK];
        let read = match bytes.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(0) => return,
            read => read,
        };
        let is_error = read.is_err();
        let chunk = read.map(|length| {
            chunk.truncate(length);
            chunk
        });
        if sender.send(chunk).is_err() || is_error {
            return;
        }
    }
}

/// Sends whole lines as they come. A line that a stop request cuts is left out.
fn send_lines(chunks: &mut Chunks, sender: &SyncSender<Part>) -> io::Result<()> {
    let mut rest = Vec::new();
    loop {
        let bytes = chunks.fill_buf()?;
        if bytes.is_empty() {
            if !rest.is_empty() && !chunks.stop.is_requested() {
                let _ = sender.send(Part::Lines(rest));
            }
            return Ok(());
        }
        let whole = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
        let mut lines = std::mem::take(&mut rest);
        lines.extend_from_slice(&bytes[..whole]);
        if whole > 0 {
            rest.extend_from_slice(&bytes[whole..]);
        } else {
            lines.extend_from_slice(bytes);
            rest = std::mem::take(&mut lines);
        }
        if rest.len() > LONGEST_LINE {
            let message = format!("the line is longer than {} MiB", LONGEST_LINE >> 20);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        let length = bytes.len();
        chunks.consume(length);
        if !lines.is_empty() && sender.send(Part::Lines(lines)).is_err() {
            return Ok(());
        }
    }
}

/// The bytes of the reading thread. A stop request is their end.
struct Chunks {
    parts: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    at: usize,
    stop: Stop,
}

impl Chunks {
    /// Waits until a line that is not blank is there, or the end.
    fn wait_for_line(&mut self) -> io::Result<()> {
        let has_line = |bytes: &[u8]| {
            let start = bytes.trim_ascii_start();
            memchr::memchr(b'\n', start).is_some()
        };
        while !has_line(&self.chunk) && self.chunk.len() <= LONGEST_LINE {
            let Some(more) = self.next()? else { break };
            self.chunk.extend_from_slice(&more);
        }
        Ok(())
    }

    /// The next bytes; none at the end.
    fn next(&self) -> io::Result<Option<Vec<u8>>> {
        while !self.stop.is_requested() {
            match self.parts.recv_timeout(TICK) {
                Ok(chunk) => return chunk.map(Some),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
        Ok(None)
    }
}

impl BufRead for Chunks {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.chunk.len() {
            self.at = 0;
            self.chunk = self.next()?.unwrap_or_default();
        }
        Ok(&self.chunk[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        self.at += amount;
    }
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}
