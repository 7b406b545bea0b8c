//! `watch`: the events of a job set, as they come.

mod record;

use crate::cli::{Context, Exit, Output};
use crate::commands::connection::{build_runtime, resolve_connection, stop_at_signals};
use crate::report::{event_header, event_line};
use crate::ui::{self, Ui};
use anyhow::Result;
use clap::Args;
use client::{Event, Events, Follow, JobSet, Next, Stop};
use document::diag::json_printable;
use record::Record;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  # Print the events of the job set `nightly` of the queue `ml` as they come
  armadactl watch ml nightly

  # Record the events so far, and replay them
  armadactl watch ml nightly --no-follow --record nightly.jsonl
  armadactl simulate -f policies --history nightly.jsonl

  # Go on with the record, after an interruption too
  armadactl watch ml nightly --record nightly.jsonl --resume";

const EXITS: &str = "\
Exit codes:
    0  ended by SIGINT or SIGTERM, or by the last event with --no-follow
    2  invalid command line
    3  invalid configuration, or a file that cannot be written
    4  not authenticated, or not permitted
    5  the queue or the job set does not exist on the server
    7  server unreachable or too slow, or an invalid answer
  130  interrupted twice";

/// Print the events of a job set as they come
///
/// A failure that the scheduler retries has `retried` in its details; with colours it is yellow, and a
/// failure that ends its job red. `-o json` prints the lines of the server. A stream that is cut is opened
/// again behind the last event, for as long as the server is not available: no event is lost, and none
/// comes twice.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct WatchArgs {
    /// The queue of the job set
    queue: String,
    /// The id of the job set
    #[arg(value_name = "JOBSET")]
    job_set: String,
    /// Append the lines of the server to this file, which `simulate --history` reads
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Go on behind the last event of the record, if it exists
    #[arg(long, requires = "record")]
    resume: bool,
    /// End after the last event that there is
    #[arg(long)]
    no_follow: bool,
}

/// Watches.
pub fn run(context: &mut Context<'_>, args: &WatchArgs) -> Result<Exit> {
    use Output::{Json, Table, Wide};
    let output = context.globals.output("watch", &[Table, Wide, Json])?;
    if output == Json {
        context.ui.begin_json_lines();
    }
    let job_set = JobSet { queue: args.queue.clone(), id: args.job_set.clone() };
    let connection = resolve_connection(context)?;
    let (mut record, last) = match &args.record {
        None => (None, String::new()),
        Some(path) if args.resume => {
            let (record, last) = Record::resume(path, &job_set)?;
            (Some(record), last)
        }
        Some(path) => (Some(Record::begin(path)?), String::new()),
    };
    let log = context.globals.server.verbose.then_some(ui::trace as fn(&str));
    let follow = if args.no_follow { Follow::No } else { Follow::Yes };
    let has_header = output != Json && !context.globals.no_headers;
    let mut printer = Printer { ui: context.ui, output, has_header };
    let result = Events::new(&connection, job_set, follow, last, log).map_err(Into::into);
    let result = result
        .and_then(|events| build_runtime()?.block_on(watch(events, &mut record, &mut printer)));
    let result = result.and_then(|()| record.as_ref().map_or(Ok(()), Record::finish));
    if let Err(error) = result {
        let is_resumable = record.is_some_and(Record::give_up);
        if is_resumable && !error.is::<std::io::Error>() {
            context.ui.note("note: the same command with `--resume` goes on with the record")?;
        }
        return Err(error);
    }
    Ok(Exit::Done)
}

/// Records and prints events until their end, or until a signal.
async fn watch(
    mut events: Events,
    record: &mut Option<Record>,
    printer: &mut Printer<'_>,
) -> Result<()> {
    let stop: Stop = stop_at_signals();
    loop {
        let next = tokio::select! {
            next = events.next() => next?,
            () = stop.requested() => return Ok(()),
        };
        match next {
            Next::End => return Ok(()),
            Next::Events(events) => {
                if let Some(record) = record {
                    // Before they are printed: what a reader has seen is on record.
                    record.append(&events)?;
                }
                printer.print(&events)?;
            }
            Next::Wait(error, wait) => {
                let seconds = wait.as_secs_f64();
                printer.ui.note(&format!("warning: {error}; trying again in {seconds:.1} s"))?;
            }
        }
    }
}

/// Prints events.
struct Printer<'u> {
    ui: &'u mut Ui,
    output: Output,
    has_header: bool,
}

impl Printer<'_> {
    fn print(&mut self, events: &[Event]) -> Result<()> {
        if std::mem::take(&mut self.has_header) {
            self.ui.data(&event_header())?;
        }
        let style = self.ui.style();
        for Event { line, .. } in events {
            if self.output == Output::Json {
                self.ui.data(&json_printable(line))?;
                self.ui.data("\n")?;
            } else {
                self.ui.data(&event_line(line, self.output == Output::Wide, style))?;
            }
        }
        Ok(self.ui.flush()?)
    }
}
