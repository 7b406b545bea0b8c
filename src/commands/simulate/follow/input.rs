//! The stream of `--follow`: two threads read it, so that the command can print and stop while it waits for bytes.

use super::super::inputs;
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
/// Chunks, and items of a program's output, that wait to be taken: as many as keep the threads busy.
const WAITING_CHUNKS: usize = 4;
const WAITING_ITEMS: usize = 256;
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

impl Stream {
    /// The refusal of a stream that cannot be read on, of which these lines were read.
    pub(super) fn unreadable(&self, lines: usize, error: &io::Error) -> Refusal {
        match self.program {
            None => inputs::unreadable(&self.name, lines + 1, error),
            Some(_) => refuse_unreadable(&self.name, error),
        }
    }
}

fn refuse_unreadable(name: &str, error: &io::Error) -> Refusal {
    Refusal::input(format!("cannot read `{name}`: {error}"))
}

/// Opens the stream and waits for its first lines, which determine its format. A stop request ends it.
pub(super) fn open(
    path: &Path,
    format: Option<Format>,
    disruptions: &Disruptions,
    stop: &Stop,
) -> Result<Stream> {
    let name = input::display_name(path);
    let unreadable = |error: &io::Error| refuse_unreadable(&name, error);
    let (sender, parts) = sync_channel(WAITING_CHUNKS);
    let (file, stop) = (path.to_owned(), stop.clone());
    spawn(move || read(&file, &sender))?;
    let mut chunks = Chunks { parts, chunk: Vec::new(), at: 0, rest: Vec::new(), stop };
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
    let (sender, parts) =
        sync_channel(if program.is_some() { WAITING_ITEMS } else { WAITING_CHUNKS });
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

/// Sends the bytes as they come, until their end or an error. This thread may wait for a named pipe to be opened, and for
/// bytes, until the process ends.
fn read(path: &Path, sender: &SyncSender<io::Result<Vec<u8>>>) {
    let mut bytes: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        match File::open(path) {
            Ok(file) => Box::new(file),
            Err(error) => {
                let _ = sender.send(Err(error));
                return;
            }
        }
    };
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

/// Sends the lines as they come.
fn send_lines(chunks: &mut Chunks, sender: &SyncSender<Part>) -> io::Result<()> {
    loop {
        let lines = chunks.fill_buf()?.to_vec();
        chunks.consume(lines.len());
        if lines.is_empty() || sender.send(Part::Lines(lines)).is_err() {
            return Ok(());
        }
    }
}

/// The bytes of the reading thread, in whole lines. A stop request is their end: a line that it cuts is left out.
struct Chunks {
    parts: Receiver<io::Result<Vec<u8>>>,
    /// The lines that are read, and the position in them.
    chunk: Vec<u8>,
    at: usize,
    /// The begin of the next line.
    rest: Vec<u8>,
    stop: Stop,
}

impl Chunks {
    /// Waits until a line that is not blank is there, or the end.
    fn wait_for_line(&mut self) -> io::Result<()> {
        while self.chunk.trim_ascii_start().is_empty() {
            let lines = self.next_lines()?;
            if lines.is_empty() {
                break;
            }
            self.chunk.extend(lines);
        }
        Ok(())
    }

    /// The next lines; none at the end.
    fn next_lines(&mut self) -> io::Result<Vec<u8>> {
        loop {
            let Some(more) = self.next()? else {
                let rest = std::mem::take(&mut self.rest);
                return Ok(if self.stop.is_requested() { Vec::new() } else { rest });
            };
            let whole = memchr::memrchr(b'\n', &more).map_or(0, |end| end + 1);
            let mut lines = std::mem::take(&mut self.rest);
            lines.extend_from_slice(&more[..whole]);
            if whole > 0 {
                self.rest = more[whole..].to_vec();
                return Ok(lines);
            }
            lines.extend(more);
            if lines.len() > LONGEST_LINE {
                let message = format!("the line is longer than {} MiB", LONGEST_LINE >> 20);
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            self.rest = lines;
        }
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
            self.chunk = self.next_lines()?;
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
