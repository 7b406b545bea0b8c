//! `--follow`: a stream of records that may have no end. Each decision is printed as it is made, and the answer at
//! intervals and at the end, which a signal requests.

mod input;
mod metrics;

use super::flow;
use super::inputs::{self, Sources};
use super::pass;
use super::replay::{FieldsOf, Policies, Replay};
use crate::cli::{Context, Output, Refusal};
use crate::commands::connection::stop_at_signals;
use crate::report;
use anyhow::Result;
use clap::Args;
use document::units::GoDuration;
use input::Part;
use metrics::Metrics;
use replay::history::{Piece, RecordFields};
use replay::simulate::{Keep, Stream, StreamDecision};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

/// The flags.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Follow options")]
pub struct FollowArgs {
    /// Replay a stream as it comes, and print each decision
    ///
    /// --history names one stream: `-`, a pipe or a file of JSON Lines, Armada's events or Lookout's jobs. The
    /// answer follows at the end, which SIGINT requests; a second SIGINT ends the command at once. `-o json`
    /// prints JSON Lines. Jobs of gangs are decided in the answer alone.
    #[arg(long, requires = "history")]
    #[arg(conflicts_with_all = ["cluster", "base", "job", "partial", "changes", "shard"])]
    pub(super) follow: bool,
    /// Print the answer so far at this interval, such as 10m
    #[arg(long, value_name = "DURATION", requires = "follow", value_parser = interval)]
    every: Option<Duration>,
    /// Write the decisions so far to this file, in the text format of Prometheus
    ///
    /// The file is replaced at most every 5 seconds, for node_exporter's textfile collector. Decisions are
    /// counted as Armada's scheduler does: armada_scheduler_retry_policy_decisions_total.
    #[arg(long, value_name = "FILE", requires = "follow")]
    metrics: Option<PathBuf>,
}

fn interval(text: &str) -> Result<Duration, String> {
    let duration =
        GoDuration::parse(text).ok().filter(|duration| *duration >= GoDuration::from_secs(1));
    let duration = duration.ok_or("write a duration of 1s or more, such as 10m")?;
    Ok(duration.to_std())
}

impl<P: Policies> Replay<'_, P> {
    /// Reads the stream to its end, and prints each decision. Returns what the records come from.
    pub(super) fn follow(
        &self,
        context: &mut Context<'_>,
        stream: &mut Stream<'_, P::Engine>,
    ) -> Result<Sources> {
        let [path] = self.args.history.as_slice() else {
            let message = "`--follow` reads one stream, but `--history` names several";
            return Err(Refusal::usage(message).into());
        };
        if !self.may_stream() {
            let message = "`--follow` needs policies that decide about each run as it comes";
            let help = "these judge a unit when all of its records are known: leave `--follow` out";
            return Err(Refusal::input(message).help(help).into());
        }
        let stop = stop_at_signals();
        let format = self.args.format.selected();
        let input = input::open(path, format, self.names.disruptions(), &stop)?;
        if input.program.is_some() && !FieldsOf::<P>::READS_ALL_SOURCES {
            let message = "`--follow` reads JSON Lines with these policies";
            return Err(Refusal::input(message).into());
        }
        stream.keep(Keep::Necessary);
        stream.report_decisions();
        let sources = Sources {
            has_records: input.program.is_none(),
            programs: input.program.into_iter().collect(),
        };
        let variants = self.policies.names();
        let is_json =
            context.globals.output("simulate", &[Output::Table, Output::Json])? == Output::Json;
        let FollowArgs { every, metrics, .. } = &self.args.follow;
        let metrics = metrics.clone().map(|path| Metrics::new(path, &variants));
        let answered = Instant::now();
        let mut follow =
            Follow { replay: self, is_json, sources, every: *every, answered, runs: 0, metrics };
        follow.run(context, stream, &input)?;
        Ok(follow.sources)
    }
}

/// A stream that is followed.
struct Follow<'f, 'r, P: Policies> {
    replay: &'f Replay<'r, P>,
    is_json: bool,
    sources: Sources,
    every: Option<Duration>,
    /// The time of the last answer, and the runs that it was about.
    answered: Instant,
    runs: u64,
    metrics: Option<Metrics>,
}

impl<P: Policies> Follow<'_, '_, P> {
    /// Replays the parts of the stream until its end.
    fn run(
        &mut self,
        context: &mut Context<'_>,
        stream: &mut Stream<'_, P::Engine>,
        input: &input::Stream,
    ) -> Result<()> {
        let mut begins = true;
        loop {
            let part = match input.parts.try_recv() {
                Err(TryRecvError::Empty) => {
                    context.ui.flush()?;
                    input.parts.recv_timeout(self.timeout())
                }
                part => part.map_err(|_| RecvTimeoutError::Disconnected),
            };
            match part {
                Ok(Part::Lines(bytes)) => {
                    let name = input.name.as_str().into();
                    let mut piece =
                        Some(Piece { name, begins: std::mem::take(&mut begins), bytes });
                    stream.batch(|next| piece.take().map(|piece| *next = piece).is_some());
                }
                Ok(Part::Item(item)) => stream.item(&input.name, item),
                Ok(Part::End(Ok(()))) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(Part::End(Err(error))) => {
                    self.answer(context, stream)?;
                    return Err(inputs::unreadable(&input.name, stream.lines() + 1, &error).into());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.take(context, stream)?;
        }
        if let Some(metrics) = &mut self.metrics {
            metrics.write()?;
        }
        Ok(())
    }

    /// Prints the decisions about the last part, and what is due.
    fn take(
        &mut self,
        context: &mut Context<'_>,
        stream: &mut Stream<'_, P::Engine>,
    ) -> Result<()> {
        for decision in stream.take_decisions() {
            if let Some(metrics) = &mut self.metrics {
                metrics.add(&decision);
            }
            self.print(context, &decision)?;
        }
        let mut new = stream.new_kinds();
        if !new.is_empty() {
            self.replay.policies.sort_kinds(&mut new);
            self.replay.check_units(&new)?;
        }
        let findings = stream.take_findings();
        if !findings.is_empty() {
            context.ui.flush()?;
            if let Err(error) = inputs::refuse(context, findings, stream.is_full()) {
                self.answer(context, stream)?;
                return Err(error);
            }
        }
        if let Some(metrics) = &mut self.metrics {
            metrics.set_runs(stream.runs());
            if metrics.due().is_some_and(|due| due.is_zero()) {
                metrics.write()?;
            }
        }
        if self.every.is_some_and(|every| self.answered.elapsed() >= every) {
            // Without a new run the answer is the last one.
            if stream.runs() > self.runs {
                self.answer(context, stream)?;
            }
            self.answered = Instant::now();
        }
        Ok(())
    }

    /// The time until something is due.
    fn timeout(&self) -> Duration {
        const LONGEST: Duration = Duration::from_secs(3_600);
        let answer = self.every.map(|every| every.saturating_sub(self.answered.elapsed()));
        let metrics = self.metrics.as_ref().and_then(Metrics::due);
        answer.into_iter().chain(metrics).min().unwrap_or(LONGEST)
    }

    fn print(&self, context: &mut Context<'_>, decision: &StreamDecision) -> Result<()> {
        let names = self.replay.policies.names();
        let variant = names.get(decision.engine).filter(|_| names.len() > 1).copied();
        let text = if self.is_json {
            let line = report::DecisionLine::new(decision, variant);
            report::json_line(&line)
        } else {
            report::decision_line(decision, variant, context.ui.style())
        };
        Ok(context.ui.data(&text)?)
    }

    /// Prints the answer so far.
    fn answer(
        &mut self,
        context: &mut Context<'_>,
        stream: &mut Stream<'_, P::Engine>,
    ) -> Result<()> {
        (self.answered, self.runs) = (Instant::now(), stream.runs());
        let mut outcome = stream.snapshot();
        inputs::refuse(context, std::mem::take(&mut outcome.findings), false)?;
        let mut parts = self.replay.streamed(outcome)?;
        parts.sources = self.sources.clone();
        let mut report = pass::report(self.replay, parts)?;
        flow::print_so_far(context, self.replay.args, &mut report)
    }
}
