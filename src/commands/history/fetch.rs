//! `history fetch`: writes the ended jobs of Lookout to a file that `simulate` reads.

use super::state::{Counts, Files, State};
use crate::cli::{Context, Exit, Refusal};
use crate::commands::connection::{build_runtime, resolve_elsewhere};
use crate::ui::{self, Progress};
use anyhow::Result;
use clap::Args;
use client::config::BaseUrl;
use client::{ClientError, Lookout, RunText, run_bounded};
use document::diag::plural;
use document::units::GoDuration;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

const EXAMPLES: &str = "\
Examples:
  # Fetch the last 30 days of the queue `ml`
  armadactl history fetch --lookout-url https://LOOKOUT --queue ml --since 30d --record month.jsonl.zst

  # Go on after an interruption
  armadactl history fetch --record month.jsonl.zst --resume

  # Replay it
  armadactl simulate -f policies --history month.jsonl.zst";

const EXITS: &str = "\
Exit codes:
    0  success
    2  invalid command line
    3  invalid configuration, or a file that cannot be written
    4  not authenticated, or not permitted
    7  Lookout unreachable or too slow, or an invalid answer
  130  interrupted

Files:
  FILE.part   the lines so far
  FILE.state  the query, and the position in it; removed with FILE.part when all is fetched";

/// Fetch the ended jobs of Lookout, with the errors of their runs
///
/// Written are the jobs that were submitted in the period and have ended when the fetch reaches them, one a line, as
/// Lookout has them; runs that failed also have its `error` and `debug`. A fetch that is interrupted, by any signal or
/// a power failure, goes on with --resume, and loses or doubles no job. Lookout keeps jobs for 42 days by default.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct FetchArgs {
    /// Write to this file; one that ends with .gz or .zst is compressed
    #[arg(long, value_name = "FILE")]
    record: PathBuf,
    /// The address of Lookout, such as `https://HOST`
    #[arg(long, value_name = "URL", env = "ARMADACTL_LOOKOUT_URL", hide_env = true)]
    #[arg(required_unless_present = "resume")]
    lookout_url: Option<String>,
    /// Fetch the jobs of this queue; several times for several [default: all queues]
    #[arg(long, value_name = "NAME", conflicts_with = "resume")]
    queue: Vec<String>,
    /// Fetch jobs submitted since then: a time ago, such as `30d` or `12h`, or an RFC 3339 time
    #[arg(long, value_name = "TIME", value_parser = moment, default_value = "30d", conflicts_with = "resume")]
    since: Timestamp,
    /// Fetch jobs submitted before then [default: now]
    #[arg(long, value_name = "TIME", value_parser = moment, conflicts_with = "resume")]
    until: Option<Timestamp>,
    /// Leave out the errors and the debug JSON of failed runs, which are two requests for each
    #[arg(long, conflicts_with = "resume")]
    without_errors: bool,
    /// Send at most this many requests in a second
    #[arg(long, value_name = "N", default_value = "50")]
    rate: NonZeroU32,
    /// Go on with an interrupted fetch, which knows its query
    #[arg(long)]
    resume: bool,
}

/// The jobs of a page.
const PAGE: usize = 1_000;
/// Requests at the same time.
const AT_ONCE: usize = 8;

/// A time: RFC 3339, or a duration before now, which may be in days.
fn moment(text: &str) -> Result<Timestamp, String> {
    let ago = match text.strip_suffix('d').map(str::parse::<u32>) {
        Some(Ok(days)) => SignedDuration::from_hours(24 * i64::from(days)),
        _ => match GoDuration::parse(text) {
            Ok(duration) => SignedDuration::try_from(duration.to_std()).unwrap_or_default(),
            Err(_) => return text.parse().map_err(|_| MOMENT_HELP.to_owned()),
        },
    };
    Timestamp::now().checked_sub(ago).map_err(|_| MOMENT_HELP.to_owned())
}

const MOMENT_HELP: &str =
    "write a time ago, such as `30d` or `12h`, or an RFC 3339 time such as `2026-10-01T00:00:00Z`";

/// Fetches.
pub fn run(context: &mut Context<'_>, args: &FetchArgs) -> Result<Exit> {
    context.globals.output("history fetch", &[])?;
    let (mut files, mut state) = if args.resume {
        Files::resume(&args.record)?
    } else {
        let state = new_state(args)?;
        (Files::begin(&args.record, &state)?, state)
    };
    let connection = resolve_elsewhere(context, &state.url)?;
    let log = context.globals.server.verbose.then_some(ui::trace as fn(&str));
    let lookout = Lookout::new(&connection, log)?;
    context.ui.note(&format!("Lookout {}: jobs submitted {}", connection.base, state.period()))?;
    let fetch = Fetch {
        lookout,
        pace: Arc::new(Pace::new(args.rate)),
        progress: context.ui.progress(None),
    };
    let fetched = build_runtime()?.block_on(fetch.run(&mut files, &mut state));
    drop(fetch);
    if let Err(error) = fetched {
        let record = args.record.display();
        context.ui.note(&format!("note: `history fetch --record {record} --resume` goes on"))?;
        return Err(error);
    }
    files.finish()?;
    context.ui.data(&summary(&args.record.display().to_string(), &state))?;
    Ok(Exit::Done)
}

fn new_state(args: &FetchArgs) -> Result<State> {
    let address = args.lookout_url.as_deref().unwrap_or_default();
    let url = BaseUrl::parse(address, "given as `--lookout-url`")?;
    let until = args.until.unwrap_or_else(Timestamp::now);
    if args.since >= until {
        let message =
            format!("the period is empty: it begins at {} and ends at {until}", args.since);
        return Err(Refusal::usage(message).help("--since has to be before --until").into());
    }
    // Whole seconds, which Lookout's filter and every message can show.
    let seconds = |time: Timestamp| Timestamp::from_second(time.as_second()).unwrap_or(time);
    let (since, until) = (seconds(args.since), seconds(until));
    Ok(State::new(url.to_string(), args.queue.clone(), !args.without_errors, since, until))
}

/// The line behind a fetch.
fn summary(record: &str, state: &State) -> String {
    let Counts { jobs, runs, failed, errors, debug } = state.counts;
    let count = |number: u64, one: &str, many: &str| {
        plural(usize::try_from(number).unwrap_or(usize::MAX), one, many)
    };
    let texts = if state.texts {
        format!(", {errors} with an error, {debug} with debug JSON")
    } else {
        String::new()
    };
    format!(
        "{record}: {} with {}, of which {failed} failed{texts}\n",
        count(jobs, "job", "jobs"),
        count(runs, "run", "runs")
    )
}

/// The requests of a fetch.
struct Fetch {
    lookout: Lookout,
    pace: Arc<Pace>,
    progress: Progress,
}

impl Fetch {
    /// Fetches window by window.
    async fn run(&self, files: &mut Files, state: &mut State) -> Result<()> {
        while let Some(filter) = state.filter() {
            let mut seen = HashSet::new();
            let mut pages = 0;
            loop {
                self.pace.wait().await;
                let jobs = self.lookout.jobs(&filter, pages * PAGE, PAGE).await?;
                let is_last = jobs.len() < PAGE;
                pages += 1;
                // A job that ends meanwhile moves those behind it: some come twice.
                let new = jobs.into_iter().filter(|job| seen.insert(job.get("jobId").cloned()));
                self.write(files, state, new.collect()).await?;
                if is_last {
                    break;
                }
            }
            files.commit(state, &filter, pages)?;
        }
        Ok(())
    }

    /// Writes the jobs of a page, with the texts of their failed runs.
    async fn write(
        &self,
        files: &mut Files,
        state: &mut State,
        mut jobs: Vec<Map<String, Value>>,
    ) -> Result<()> {
        let counts = &mut state.counts;
        counts.jobs += jobs.len() as u64;
        counts.runs += jobs.iter().map(|job| runs(job).len() as u64).sum::<u64>();
        let failed: Vec<String> = jobs.iter().flat_map(runs).filter_map(failed_run).collect();
        counts.failed += failed.len() as u64;
        if state.texts {
            let texts = self.texts(failed).await?;
            counts.errors += texts.iter().filter(|texts| texts.error.is_some()).count() as u64;
            counts.debug += texts.iter().filter(|texts| texts.debug.is_some()).count() as u64;
            let failed = jobs.iter_mut().filter_map(|job| job.get_mut("runs")?.as_array_mut());
            let failed = failed.flatten().filter(|run| failed_run(run).is_some());
            for (run, texts) in failed.zip(texts) {
                let Some(fields) = run.as_object_mut() else { continue };
                fields.extend(texts.error.map(|text| ("error".to_owned(), text.into())));
                fields.extend(texts.debug.map(|text| ("debug".to_owned(), text.into())));
            }
        }
        for job in jobs {
            files.line(&Value::Object(job).to_string())?;
        }
        let counts = state.counts;
        self.progress.message(|| {
            let percent = state.done() * 100.0;
            format!(
                "{} jobs, {} failed runs, {percent:.0} % of the period",
                counts.jobs, counts.failed
            )
        });
        Ok(())
    }

    /// The texts of runs, in their order.
    async fn texts(&self, runs: Vec<String>) -> Result<Vec<RunTexts>> {
        let mut texts: Vec<RunTexts> = runs.iter().map(|_| RunTexts::default()).collect();
        let mut failed = None;
        let work = |run: String| {
            let (lookout, pace) = (self.lookout.clone(), Arc::clone(&self.pace));
            async move {
                pace.wait().await;
                let error = lookout.run_text(RunText::Error, &run).await?;
                pace.wait().await;
                let debug = lookout.run_text(RunText::Debug, &run).await?;
                Ok::<_, ClientError>(RunTexts { error, debug })
            }
        };
        run_bounded(AT_ONCE, runs, work, |index, result| match result {
            Ok(found) => {
                texts[index] = found;
                ControlFlow::Continue(())
            }
            Err(error) => {
                failed.get_or_insert(error);
                ControlFlow::Break(())
            }
        })
        .await;
        failed.map_or(Ok(texts), |error| Err(error.into()))
    }
}

/// The texts of a run that Lookout has.
#[derive(Default)]
struct RunTexts {
    error: Option<String>,
    debug: Option<String>,
}

/// The runs of a job.
fn runs(job: &Map<String, Value>) -> &[Value] {
    job.get("runs").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The id of a run that failed.
fn failed_run(run: &Value) -> Option<String> {
    let is_failed = run["jobRunState"] == "RUN_FAILED";
    run["runId"].as_str().filter(|_| is_failed).map(str::to_owned)
}

/// The pauses between requests, so that there are not too many in a second.
struct Pace {
    pause: Duration,
    next: Mutex<Instant>,
}

impl Pace {
    fn new(rate: NonZeroU32) -> Self {
        Self { pause: Duration::from_secs(1) / rate.get(), next: Mutex::new(Instant::now()) }
    }

    /// Waits for the turn of a request.
    async fn wait(&self) {
        let turn = {
            let mut next = self.next.lock().await;
            let turn = (*next).max(Instant::now());
            *next = turn + self.pause;
            turn
        };
        tokio::time::sleep_until(turn).await;
    }
}
