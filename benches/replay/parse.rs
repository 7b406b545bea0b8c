//! Reads JSON Lines and does nothing with them: `parse THREADS FILE`. What a second core can add to
//! a replay is measured against what it adds here.
//!
//! Threads take chunks of the file in turn; a line belongs to the chunk it starts in.

#![expect(clippy::print_stdout, reason = "it says how many lines it has read")]

use serde::Deserialize;
use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

const CHUNK: u64 = 2 << 20;
/// No line is longer.
const LONGEST: u64 = 64 << 10;

/// What a replay needs of a run.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "reading is all")]
struct Record<'a> {
    #[serde(borrow)]
    job_id: Cow<'a, str>,
    #[serde(borrow)]
    queue: Cow<'a, str>,
    run_index: u32,
    #[serde(borrow)]
    finished_at: Cow<'a, str>,
    #[serde(borrow)]
    node: Cow<'a, str>,
    #[serde(borrow)]
    outcome: Cow<'a, str>,
    #[serde(borrow, default)]
    category: Cow<'a, str>,
    #[serde(borrow, default)]
    conditions: Vec<Cow<'a, str>>,
    #[serde(default)]
    termination_grace_period_seconds: u32,
    #[serde(borrow, default)]
    containers: Vec<Container<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "reading is all")]
struct Container<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    exit_code: u32,
    #[serde(borrow)]
    reason: Cow<'a, str>,
    #[serde(borrow)]
    message: Cow<'a, str>,
}

/// Reads until the buffer is full or the file ends.
fn read_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<usize> {
    let mut total = 0;
    while !buffer.is_empty() {
        let count = file.read_at(buffer, offset)?;
        if count == 0 {
            break;
        }
        (total, offset) = (total + count, offset + count as u64);
        buffer = &mut buffer[count..];
    }
    Ok(total)
}

/// The lines that start in the chunk. `bytes` begins a byte before it, so that a line that starts
/// with the chunk is seen to.
fn lines(bytes: &[u8], is_first: bool) -> impl Iterator<Item = &[u8]> {
    let newline =
        |from: usize| bytes[from..].iter().position(|byte| *byte == b'\n').map(|at| from + at);
    let mut start = if is_first { Some(0) } else { newline(0).map(|at| at + 1) };
    let chunk = usize::try_from(CHUNK).expect("a small number") + usize::from(!is_first);
    std::iter::from_fn(move || {
        let from = start.filter(|from| *from < chunk && *from < bytes.len())?;
        let end = newline(from).unwrap_or(bytes.len());
        start = Some(end + 1);
        Some(&bytes[from..end])
    })
}

fn worker(file: &File, size: u64, next: &AtomicU64) -> io::Result<u64> {
    let mut buffer = vec![0; usize::try_from(CHUNK + LONGEST).expect("a small number")];
    let mut count = 0;
    loop {
        let offset = next.fetch_add(1, Ordering::Relaxed) * CHUNK;
        if offset >= size {
            return Ok(count);
        }
        let read = read_at(file, &mut buffer, offset.saturating_sub(1))?;
        for line in lines(&buffer[..read], offset == 0) {
            std::hint::black_box(serde_json::from_slice::<Record<'_>>(line)?);
            count += 1;
        }
    }
}

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = || io::Error::other("usage: parse THREADS FILE");
    let threads: usize = arguments.next().and_then(|text| text.parse().ok()).ok_or_else(usage)?;
    let file = File::open(arguments.next().ok_or_else(usage)?)?;
    let (size, next) = (file.metadata()?.len(), AtomicU64::new(0));
    let counts = thread::scope(|scope| {
        let work = || scope.spawn(|| worker(&file, size, &next));
        let workers: Vec<_> = (0..threads).map(|_| work()).collect();
        workers.into_iter().map(|worker| worker.join().expect("no panic")).sum::<io::Result<u64>>()
    })?;
    println!("{{\"events\": {counts}}}");
    Ok(())
}
