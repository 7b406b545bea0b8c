//! Writes a failure history as JSON Lines for `benches/replay/run`; the same bytes on every machine.
//!
//! A month of a fleet: about three runs a job, the jobs interleaved in time, a few queues and nodes
//! that see most of it, one job in seven with a sidecar. `--shuffled` writes the same runs the way
//! another program might have: keys in any order, texts with escapes, fields nobody knows.

#[path = "../support/draw.rs"]
mod draw;
mod failures;
mod json;

use clap::Parser;
use draw::Draw;
use json::Json;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

/// Seconds of the month that the runs are spread over.
const SECONDS: u64 = 30 * 24 * 60 * 60;
/// No job has more runs.
const MOST_RUNS: u32 = 40;
const QUEUES: u32 = 200;
const NODES: u32 = 4000;
/// The digits of a job's name.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Write a failure history.
#[derive(Parser)]
struct Arguments {
    /// How many runs.
    events: u64,
    /// Where to.
    out: PathBuf,
    /// The same runs with other spellings: order of keys, escapes, unknown fields.
    #[arg(long)]
    shuffled: bool,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A job that has runs to come.
struct Job {
    id: String,
    queue: u32,
    next_run: u32,
    runs: u32,
    sidecar: bool,
}

impl Job {
    fn new(draw: &mut Draw, queues: &Skewed) -> Self {
        let id = (0..16).map(|_| char::from(DIGITS[draw.below(32) as usize])).collect::<String>();
        let queue = queues.draw(draw);
        let mut runs = 1;
        while runs < MOST_RUNS && draw.below(3) > 0 {
            runs += 1;
        }
        Self {
            id: format!("01k9q2v7dm{id}"),
            queue,
            next_run: 0,
            runs,
            sidecar: draw.below(7) == 0,
        }
    }

    fn is_over(&self) -> bool {
        self.next_run == self.runs
    }
}

/// Numbers from 0, the small ones most often: the n-th about as often as 1 / (n + 1.5).
struct Skewed {
    sums: Vec<u32>,
}

impl Skewed {
    fn new(end: u32) -> Self {
        let weights = (0..end).map(|number| 20_000_000 / (2 * number + 3));
        let sums = weights.scan(0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        });
        Self { sums: sums.collect() }
    }

    fn draw(&self, draw: &mut Draw) -> u32 {
        let place = draw.below(*self.sums.last().expect("not empty"));
        u32::try_from(self.sums.partition_point(|sum| *sum <= place)).expect("a short list")
    }
}

/// The month as RFC 3339; it has the days of October 2026.
fn time(micros: u64) -> String {
    let (seconds, fraction) = (micros / 1_000_000, micros % 1_000_000);
    let (day, hour) = (seconds / 86_400 + 1, seconds / 3600 % 24);
    let (minute, second) = (seconds / 60 % 60, seconds % 60);
    format!("2026-10-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:06}Z")
}

fn record(draw: &mut Draw, job: &Job, node: u32, micros: u64) -> Json {
    let mut fields = vec![
        ("jobId", Json::text(&job.id)),
        ("queue", Json::Text(format!("queue-{:03}", job.queue))),
        ("runIndex", Json::Number(job.next_run)),
        ("finishedAt", Json::Text(time(micros))),
        ("node", Json::Text(format!("gpu-node-{node:04}"))),
    ];
    // The last run of half of the jobs succeeds.
    let is_last = job.next_run + 1 == job.runs;
    if is_last && draw.chance(50) {
        fields.push(("outcome", Json::text("Succeeded")));
    } else {
        fields.extend(failures::draw(draw).fields(draw, job.sidecar));
    }
    Json::Object(fields)
}

fn write(arguments: &Arguments, out: &mut impl Write) -> io::Result<()> {
    let (queues, nodes) = (Skewed::new(QUEUES), Skewed::new(NODES));
    let mut draw = Draw::new(arguments.seed);
    // How a run is spelt has draws of its own: the runs stay the same.
    let mut spelling = Draw::new(!arguments.seed);
    let alive = (arguments.events / 100).clamp(100, 50_000);
    let mut jobs: Vec<Job> = (0..alive).map(|_| Job::new(&mut draw, &queues)).collect();
    let step = SECONDS * 1_000_000 / arguments.events.max(1);
    let mut line = Vec::new();
    for number in 0..arguments.events {
        let place = draw.below(u32::try_from(jobs.len()).expect("at most 50,000")) as usize;
        let node = nodes.draw(&mut draw);
        let job = &mut jobs[place];
        let mut record = record(&mut draw, job, node, step * number);
        if arguments.shuffled {
            record.respell(&mut spelling);
        }
        job.next_run += 1;
        if job.is_over() {
            *job = Job::new(&mut draw, &queues);
        }
        line.clear();
        record.write(&mut line);
        line.push(b'\n');
        out.write_all(&line)?;
    }
    out.flush()
}

fn main() -> io::Result<()> {
    let arguments = Arguments::parse();
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&arguments.out)?);
    write(&arguments, &mut out)
}
