//! `history fetch`: writes the ended jobs of Lookout to a file that `simulate` reads.

use super::state::{Counts, Files, Resumed, State};
use crate::cli::{Context, Exit, Refusal};
use crate::commands::connection::{build_runtime, resolve_elsewhere};
use crate::ui::{self, Progress};
use anyhow::Result;
use clap::Args;
use client::config::BaseUrl;
use client::{ClientError, ClientErrorKind, JobFilter, Lookout, RunText, run_bounded};
use document::diag::plural;
use document::units::GoDuration;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
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
  armadactl history fetch --lookout-url https://LOOKOUT --queue ml \\
      --since 30d --record month.jsonl.zst

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
/// Writes the jobs that were submitted in the period and have ended when the fetch reaches them, one a line,
/// as Lookout has them; runs that did not succeed also get its `error` and `debug`. A fetch that is
/// interrupted, by any signal or a power failure, goes on with --resume: it loses no job and writes none
/// twice. Lookout keeps jobs for 42 days by default.
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
    /// Fetch jobs submitted since then: `30d` ago, `12h` ago, or an RFC 3339 time
    #[arg(long, value_name = "TIME", value_parser = moment, default_value = "30d", conflicts_with = "resume")]
    since: Timestamp,
    /// Fetch jobs submitted before then [default: now]
    #[arg(long, value_name = "TIME", value_parser = moment, conflicts_with = "resume")]
    until: Option<Timestamp>,
    /// Leave out the errors and debug JSON of runs: up to two requests for each run
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
/// The pages of a window, unless it is a second: more would be lost at an interruption.
const PAGES: usize = 10;
/// The attempts to read a window whose jobs are removed meanwhile.
const ATTEMPTS: usize = 5;
/// Requests at the same time.
const AT_ONCE: usize = 8;

/// A time: RFC 3339, or a duration before now, which may be in days.
fn moment(text: &str) -> Result<Timestamp, String> {
    let ago = match text.strip_suffix('d').map(str::parse::<u32>) {
        Some(Ok(days)) => SignedDuration::from_hours(24 * i64::from(days)),
        _ => match GoDuration::parse(text) {
            Ok(duration) if duration > GoDuration::ZERO => {
                SignedDuration::try_from(duration.to_std()).unwrap_or_default()
            }
            Ok(_) => return Err(MOMENT_HELP.to_owned()),
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
    let record = args.record.display().to_string();
    let (mut files, mut state) = if args.resume {
        match Files::resume(&args.record)? {
            Resumed::Open(files, state) => (Some(*files), state),
            Resumed::Done(state) => {
                context.ui.data(&summary(&record, &state))?;
                return Ok(Exit::Done);
            }
        }
    } else {
        (None, new_state(args)?)
    };
    refuse_other_address(args, &state)?;
    let connection = resolve_elsewhere(context, &state.url)?;
    let log = context.globals.server.verbose.then_some(ui::trace as fn(&str));
    let lookout = Lookout::new(&connection, log)?;
    let mut files = match files.take() {
        Some(files) => files,
        None => Files::begin(&args.record, &state)?,
    };
    context.ui.note(&format!("Lookout {}: jobs submitted {}", connection.base, state.period()))?;
    let pace = Arc::new(Pace::new(args.rate));
    let fetch = Fetch { lookout, pace, progress: context.ui.progress(None) };
    let fetched = build_runtime()?.block_on(fetch.run(&mut files, &mut state));
    // Removes the line of the progress before an error or the summary is printed.
    drop(fetch);
    if let Err(error) = fetched.and_then(|()| files.finish()) {
        if files.give_up(&state) {
            context
                .ui
                .note(&format!("note: `history fetch --record {record} --resume` goes on"))?;
        }
        return Err(error);
    }
    context.ui.data(&summary(&record, &state))?;
    Ok(Exit::Done)
}

/// Refuses an address that is not the one of the interrupted fetch.
fn refuse_other_address(args: &FetchArgs, state: &State) -> Result<()> {
    let Some(address) = args.lookout_url.as_deref() else { return Ok(()) };
    let given = BaseUrl::parse(address, "given as `--lookout-url`")?.to_string();
    if given == state.url {
        return Ok(());
    }
    let message = format!("the interrupted fetch is of {}, not of {given}", state.url);
    let help =
        "leave `--lookout-url` and `ARMADACTL_LOOKOUT_URL` out, or remove FILE.part and FILE.state";
    Err(Refusal::usage(message).help(help).into())
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
    // Whole seconds, which every message can show; the period becomes no shorter.
    let second = |time: Timestamp| Timestamp::from_second(time.as_second()).unwrap_or(time);
    let until =
        if second(until) == until { until } else { second(until) + SignedDuration::from_secs(1) };
    let (queues, texts) = (args.queue.clone(), !args.without_errors);
    Ok(State::new(url.to_string(), queues, texts, second(args.since), until))
}

/// The line behind a fetch.
fn summary(record: &str, state: &State) -> String {
    let Counts { jobs, runs, failed, errors, debug } = state.counts;
    let count = |number: u64, one: &str, many: &str| {
        plural(usize::try_from(number).unwrap_or(usize::MAX), one, many)
    };
    let texts = if state.texts {
        format!("; {errors} have an error, {debug} debug JSON")
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
        let mut attempts = 0;
        while let Some(filter) = state.filter() {
            let counts = state.counts;
            match self.window(files, state, &filter).await? {
                Window::Complete { had_few_jobs } => {
                    files.commit(state, &filter, had_few_jobs)?;
                    attempts = 0;
                    continue;
                }
                Window::TooLong if state.shrink() => {}
                Window::TooLong | Window::Changed => attempts += 1,
            }
            if attempts == ATTEMPTS {
                let message = "Lookout removes jobs of this period faster than they are read";
                return Err(Refusal::input(message).help("begin later: --since 40d").into());
            }
            files.cut(state)?;
            state.counts = counts;
        }
        Ok(())
    }

    /// Fetches the jobs of a window. Each page begins with the last job of the one before: if that is another one, jobs
    /// have been removed, and some were passed over.
    async fn window(
        &self,
        files: &mut Files,
        state: &mut State,
        filter: &JobFilter,
    ) -> Result<Window> {
        let is_a_second = filter.to.duration_since(filter.from) <= SignedDuration::from_secs(1);
        let (mut seen, mut take, mut skip, mut pages) = (HashSet::new(), PAGE, 0, 0);
        loop {
            self.pace.wait().await;
            let jobs = match self.lookout.jobs(filter, skip, take).await {
                Err(error) if error.kind == ClientErrorKind::TooLarge && take > 1 => {
                    // The answer is larger than the client reads: a page of fewer jobs may fit.
                    take /= 2;
                    continue;
                }
                jobs => jobs?,
            };
            if skip > 0 && !jobs.first().is_some_and(|job| seen.contains(&id(job))) {
                return Ok(Window::Changed);
            }
            let is_last = jobs.len() < take;
            skip = (skip + jobs.len()).saturating_sub(1);
            pages += 1;
            if pages > PAGES && !is_a_second {
                return Ok(Window::TooLong);
            }
            // A job that ends meanwhile moves those behind it: some come twice.
            let new = jobs.into_iter().filter(|job| seen.insert(id(job)));
            self.write(files, state, new.collect()).await?;
            if is_last {
                return Ok(Window::Complete { had_few_jobs: pages == 1 });
            }
        }
    }

    /// Writes the jobs of a page, with the texts of their runs.
    async fn write(
        &self,
        files: &mut Files,
        state: &mut State,
        mut jobs: Vec<Map<String, Value>>,
    ) -> Result<()> {
        let counts = &mut state.counts;
        counts.jobs += jobs.len() as u64;
        counts.runs += jobs.iter().map(|job| runs(job).len() as u64).sum::<u64>();
        let failed = jobs.iter().flat_map(runs).filter(|run| run["jobRunState"] == "RUN_FAILED");
        counts.failed += failed.count() as u64;
        if state.texts {
            let asked = jobs.iter().flat_map(runs).flat_map(run_texts).collect();
            let mut found = self.texts(asked, state).await?;
            let runs =
                jobs.iter_mut().filter_map(|job| job.get_mut("runs")?.as_array_mut()).flatten();
            for fields in runs.filter_map(Value::as_object_mut) {
                let run =
                    fields.get("runId").and_then(Value::as_str).unwrap_or_default().to_owned();
                let RunTexts { error, debug } = found.remove(&run).unwrap_or_default();
                fields.extend(error.map(|text| ("error".to_owned(), text.into())));
                fields.extend(debug.map(|text| ("debug".to_owned(), text.into())));
            }
        }
        for job in jobs {
            files.line(&Value::Object(job).to_string())?;
        }
        Ok(())
    }

    /// The texts of runs that Lookout has, by their ids.
    async fn texts(
        &self,
        asked: Vec<(String, RunText)>,
        state: &mut State,
    ) -> Result<HashMap<String, RunTexts>> {
        let mut found: HashMap<String, RunTexts> = HashMap::new();
        let mut failed = None;
        let work = |(run, text): (String, RunText)| {
            let (lookout, pace) = (self.lookout.clone(), Arc::clone(&self.pace));
            async move {
                pace.wait().await;
                let answer = lookout.run_text(text, &run).await;
                (run, text, answer)
            }
        };
        let done =
            |_, (run, text, answer): (String, RunText, Result<Option<String>, ClientError>)| {
                let counts = &mut state.counts;
                match (answer, text) {
                    (Ok(None), _) => {}
                    (Ok(Some(error)), RunText::Error) => {
                        counts.errors += 1;
                        found.entry(run).or_default().error = Some(error);
                    }
                    (Ok(Some(debug)), RunText::Debug) => {
                        counts.debug += 1;
                        found.entry(run).or_default().debug = Some(debug);
                    }
                    (Err(error), _) => {
                        failed.get_or_insert(error);
                        return ControlFlow::Break(());
                    }
                }
                self.show(state);
                ControlFlow::Continue(())
            };
        run_bounded(AT_ONCE, asked, work, done).await;
        failed.map_or(Ok(found), |error| Err(error.into()))
    }

    fn show(&self, state: &State) {
        self.progress.message(|| {
            let Counts { jobs, errors, .. } = state.counts;
            let percent = state.done() * 100.0;
            format!("{jobs} jobs, {errors} errors of runs, {percent:.0} % of the period")
        });
    }
}

/// The texts of a run that Lookout has.
#[derive(Default)]
struct RunTexts {
    error: Option<String>,
    debug: Option<String>,
}

/// The end of a window.
enum Window {
    /// All its jobs are written.
    Complete {
        /// Whether it had one page.
        had_few_jobs: bool,
    },
    /// It has too many pages.
    TooLong,
    /// Lookout has removed jobs meanwhile.
    Changed,
}

/// The id of a job.
fn id(job: &Map<String, Value>) -> String {
    job.get("jobId").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The runs of a job.
fn runs(job: &Map<String, Value>) -> &[Value] {
    job.get("runs").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The texts that Lookout may have of a run: those that its ingester stores (`instructions.go`).
fn run_texts(run: &Value) -> impl Iterator<Item = (String, RunText)> {
    let texts: &[RunText] = match run["jobRunState"].as_str().unwrap_or_default() {
        "RUN_FAILED" | "RUN_LEASE_RETURNED" => &[RunText::Error, RunText::Debug],
        "RUN_LEASE_EXPIRED" | "RUN_PREEMPTED" => &[RunText::Error],
        "RUN_CANCELLED" => &[RunText::Debug],
        _ => &[],
    };
    let run = run["runId"].as_str().map(str::to_owned);
    texts.iter().filter_map(move |text| Some((run.clone()?, *text)))
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
