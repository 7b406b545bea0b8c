//! `--follow`: a stream of records that may have no end. Each decision is printed as it is made, and the answer at
//! intervals and at the end, which a signal requests.

mod input;
mod metrics;

use super::complete;
use super::follow_args::FollowArgs;
use super::inputs::{self, Sources};
use super::other_system::merge_errors_of_other_system;
use super::policies::{FieldsOf, Policies};
use super::replay::Replay;
use super::report::ReportParts;
use super::screen;
use crate::cli::{Context, Output, Refusal};
use crate::commands::connection::stop_at_signals;
use crate::report;
use crate::ui;
use anyhow::Result;
use document::diag::Findings;
use input::Part;
use metrics::Metrics;
use replay::history::{Piece, RecordFields};
use replay::simulate::{Retention, Stream, StreamDecision};
use std::sync::mpsc::{RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

/// The longest time that printed decisions wait in the buffer while the stream is read without a pause.
const FLUSH: Duration = Duration::from_millis(200);

/// Replays the stream of `--history` to its end, and prints each decision.
pub(super) fn replay<P: Policies>(
    replay: &Replay<'_, P>,
    context: &mut Context<'_>,
) -> Result<ReportParts> {
    let args = replay.args;
    let [path] = args.history.as_slice() else {
        let message = "`--follow` reads one stream, but `--history` names several";
        return Err(Refusal::usage(message).into());
    };
    if !args.has_policies() {
        let message = "`--follow` needs policies, of which it prints the decisions";
        return Err(Refusal::usage(message).help("give them with -f or --live").into());
    }
    if !replay.may_stream() {
        let message = "`--follow` needs policies that decide about each run as it comes";
        let help = "these judge a unit when all of its records are known: leave `--follow` out";
        return Err(Refusal::input(message).help(help).into());
    }
    let FollowArgs { every, metrics, .. } = &args.follow;
    let variants = replay.policies.names();
    let metrics = metrics.clone().map(|path| Metrics::begin(path, &variants)).transpose()?;
    let stop = stop_at_signals();
    let input = input::open(path, args.format.selected(), replay.names.disruptions(), &stop)?;
    if input.program.is_some() && !FieldsOf::<P>::READS_ALL_SOURCES {
        let message = "`--follow` reads JSON Lines with these policies";
        return Err(Refusal::input(message).into());
    }
    let is_unmatched = |variant: usize, unit: &str| replay.policies.is_unmatched(variant, unit);
    let mut stream = replay.stream(Retention::Necessary, &is_unmatched);
    stream.report_decisions();
    let (has_records, programs) = (input.program.is_none(), input.program.into_iter().collect());
    let sources = Sources { has_records, programs };
    let forms = [Output::Table, Output::Json];
    let is_json = context.globals.output("simulate", &forms)? == Output::Json;
    let (every, answered) = (*every, Instant::now());
    let runs = 0;
    let mut follow = Follow { replay, variants, is_json, sources, every, answered, runs, metrics };
    follow.run(context, &mut stream, &input)?;
    let mut outcome = stream.finish();
    inputs::refuse(context, std::mem::take(&mut outcome.findings), false)?;
    Ok(ReportParts { sources: follow.sources, ..replay.streamed(outcome)? })
}

/// A stream that is followed.
struct Follow<'f, 'r, P: Policies> {
    replay: &'f Replay<'r, P>,
    /// The names of the variants.
    variants: Vec<&'f str>,
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
        let (mut begins, mut flushed) = (true, Instant::now());
        loop {
            let part = match input.parts.try_recv() {
                // Nothing is left to replay: the decisions are shown before the wait for more.
                Err(TryRecvError::Empty) => {
                    context.ui.flush()?;
                    flushed = Instant::now();
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
                    return Err(input.unreadable(stream.lines(), &error).into());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.take(context, stream)?;
            if flushed.elapsed() > FLUSH {
                context.ui.flush()?;
                flushed = Instant::now();
            }
        }
        self.write_metrics(context)
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
            let findings = merge_errors_of_other_system::<FieldsOf<P>>(findings, Findings::new());
            if let Err(error) = inputs::refuse(context, findings, stream.is_full()) {
                self.answer(context, stream)?;
                return Err(error);
            }
        }
        if let Some(metrics) = &mut self.metrics {
            metrics.set_runs(stream.runs());
        }
        let due = self.metrics.as_ref().and_then(Metrics::due);
        if due.is_some_and(|due| due.is_zero()) {
            self.write_metrics(context)?;
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

    fn write_metrics(&mut self, context: &mut Context<'_>) -> Result<()> {
        if let Some(error) = self.metrics.as_mut().and_then(Metrics::write) {
            context.ui.note(&format!("warning: {error}; trying again"))?;
        }
        Ok(())
    }

    /// The time until something is due.
    fn timeout(&self) -> Duration {
        // Nothing is due, but `recv_timeout` needs a time: the loop then waits again.
        const LONGEST: Duration = Duration::from_hours(1);
        let answer = self.every.map(|every| every.saturating_sub(self.answered.elapsed()));
        let metrics = self.metrics.as_ref().and_then(Metrics::due);
        answer.into_iter().chain(metrics).min().unwrap_or(LONGEST)
    }

    fn print(&self, context: &mut Context<'_>, decision: &StreamDecision) -> Result<()> {
        let has_several = self.variants.len() > 1;
        let variant = self.variants.get(decision.engine).filter(|_| has_several).copied();
        let text = if self.is_json {
            let line = report::DecisionLine::new(decision, variant);
            ui::json_line(&line)
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
        let mut report = complete::report(self.replay, parts)?;
        screen::print_so_far(context, self.replay.args, &mut report)
    }
}
