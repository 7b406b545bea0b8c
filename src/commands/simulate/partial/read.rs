//! Reads partial summaries, and merges them.

use super::super::facts::HistoryFacts;
use super::super::inputs::Sources;
use super::super::policies::{FieldsOf, Policies};
use super::super::replay::Replay;
use super::super::report::{Difference, ReportParts};
use super::super::shards::Shards;
use super::super::{SimulateArgs, TimelinesName};
use super::facts::PartialFacts;
use crate::cli::Refusal;
use crate::input::Stream;
use anyhow::Result;
use replay::history::Table;
use replay::simulate::{
    BadPartial, Changes, Figures, Header, Names, NoteKind, NoteReport, PartialFile, ReplayResult,
};
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::{Mutex, PoisonError, mpsc};
use systems::System;

/// The partial summaries that are merged so far.
struct Merged {
    figures: Option<Figures>,
    shards: Shards,
    facts: HistoryFacts,
    sources: Sources,
}

/// Reads and merges partial summaries of these settings.
///
/// # Errors
///
/// If one is damaged, of other settings or another version, or held twice; and if shards are missing, unless that is
/// allowed or the parts are merged to a further one.
pub(in super::super) fn read<P: Policies>(
    inputs: Vec<Stream>,
    replay: &Replay<'_, P>,
    settings: [u8; 32],
) -> Result<ReportParts> {
    refuse_flags(replay.args)?;
    let mut merged = Merged {
        figures: None,
        shards: Shards::default(),
        facts: HistoryFacts::default(),
        sources: Sources::default(),
    };
    decode_each::<P>(inputs, replay, settings, |part| merged.add(part?, replay))?;
    merged.into_parts(replay)
}

/// A partial summary, by the numbers of all names.
struct Part<F> {
    name: String,
    header: Header,
    figures: Figures,
    facts: PartialFacts<F>,
}

/// Decodes inputs on all threads, since that takes most of the time, and adds them in their order until one cannot be
/// added.
fn decode_each<P: Policies>(
    inputs: Vec<Stream>,
    replay: &Replay<'_, P>,
    settings: [u8; 32],
    mut add: impl FnMut(Result<Part<P::Facts>>) -> Result<()>,
) -> Result<()> {
    let inputs = Mutex::new(inputs.into_iter().enumerate());
    let next = || inputs.lock().unwrap_or_else(PoisonError::into_inner).next();
    // A part waits for those before it, so that errors are the same for any number of threads.
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::scope(|scope| {
        for _ in 0..replay.args.threads().get() {
            let sender = sender.clone();
            let (next, names) = (&next, replay.names);
            scope.spawn(move || {
                while let Some((number, input)) = next() {
                    // The receiver is gone once a part cannot be added.
                    if sender.send((number, decode::<P>(input, names, settings))).is_err() {
                        break;
                    }
                }
            });
        }
        // The loop ends when the last sender is gone: those of the threads only.
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut number = 0;
        for (own, part) in receiver {
            waiting.insert(own, part);
            while let Some(part) = waiting.remove(&number) {
                add(part)?;
                number += 1;
            }
        }
        Ok(())
    })
}

fn decode<P: Policies>(input: Stream, names: &Names, settings: [u8; 32]) -> Result<Part<P::Facts>> {
    let name = input.name.clone();
    let file = open(input)?;
    refuse_other::<P>(&name, &file, settings)?;
    let header = file.header.clone();
    let (figures, facts) = file.figures(names).map_err(|error| refuse_bad(&name, error))?;
    Ok(Part { name, header, figures, facts })
}

/// Refuses flags that need the runs of the history.
fn refuse_flags(args: &SimulateArgs) -> Result<()> {
    let flags = [
        ("--job", args.job.is_some()),
        ("--timelines all", args.timelines == TimelinesName::All),
        ("--changes", args.changes.is_some()),
        ("--shard", args.shard.is_some()),
    ];
    let Some((flag, _)) = flags.into_iter().find(|(_, is_set)| *is_set) else { return Ok(()) };
    let message = format!("`{flag}`: partial summaries have no runs");
    Err(Refusal::usage(message).help("give it where the history is read").into())
}

/// The file of a partial summary.
fn open(input: Stream) -> Result<PartialFile> {
    let Stream { name, mut bytes, .. } = input;
    let mut content = Vec::new();
    bytes.read_to_end(&mut content).map_err(|error| refuse(&name, &error.to_string()))?;
    Ok(PartialFile::read(&content).map_err(|error| refuse_bad(&name, error))?)
}

fn refuse(name: &str, reason: &str) -> Refusal {
    Refusal::input(format!("cannot read `{name}`: {reason}"))
}

fn refuse_bad(name: &str, error: BadPartial) -> Refusal {
    refuse(name, &error.to_string()).help("replay its shard again with --partial")
}

/// Refuses a partial summary of another system, version or settings.
fn refuse_other<P: Policies>(name: &str, file: &PartialFile, settings: [u8; 32]) -> Result<()> {
    let own = (P::Engine::DESCRIPTION.engines[0], env!("CARGO_PKG_VERSION"));
    let header = &file.header;
    let message = if file.system != own.0 {
        format!("`{name}` is of `{}`, but the policies are of `{}`", file.system, own.0)
    } else if header.program != own.1 {
        format!("`{name}` was written by version {}, and this is {}", header.program, own.1)
    } else if header.settings != settings {
        format!("`{name}` was made with other policies, queues, settings or flags")
    } else {
        return Ok(());
    };
    let help = "merge and report with the program, policies and flags of the replay, or replay the shard again";
    Err(Refusal::input(message).help(help).into())
}

impl Merged {
    fn add<P: Policies>(&mut self, part: Part<P::Facts>, replay: &Replay<'_, P>) -> Result<()> {
        let Part { name, header, figures, facts } = part;
        let name = name.as_str();
        self.shards.add(name, header.shards, &header.held)?;
        let samples = |figures: &Figures| figures.changes.first().map(Changes::samples);
        let is_of = figures.are_of(replay.engines);
        if is_of && self.figures.as_ref().is_some_and(|it| samples(it) != samples(&figures)) {
            let message = format!("`{name}` was made with another number of --samples");
            return Err(Refusal::input(message).into());
        }
        let history = (&mut self.facts, &mut self.sources);
        let of_policies = facts.add_to(history, Table::<FieldsOf<P>>::RECORD, name);
        let Some(of_policies) = of_policies.filter(|_| is_of) else {
            return Err(refuse_bad(name, BadPartial::Damaged).into());
        };
        replay.policies.add_facts(of_policies);
        match &mut self.figures {
            Some(merged) => merged.merge(figures),
            None => self.figures = Some(figures),
        }
        Ok(())
    }

    /// The parts of the report.
    fn into_parts<P: Policies>(self, replay: &Replay<'_, P>) -> Result<ReportParts> {
        let Self { figures, shards, facts, sources } = self;
        let figures = figures.unwrap_or_else(|| Figures::new(replay.engines));
        let Figures { summaries, record, columns, mut changes } = figures;
        let mut parts_notes = Vec::new();
        if let Some((count, missing)) = shards.missing().filter(|_| replay.args.partial.is_none()) {
            if !replay.args.allow_missing_shards {
                let help = "replay them, or use --allow-missing-shards";
                return Err(Refusal::input(missing).help(help).into());
            }
            parts_notes.push(NoteReport::new(NoteKind::MissingShards, missing).count(count));
        }
        match replay.compare {
            Some(compare) if replay.args.partial.is_none() => {
                let recorded = changes.first().map_or(0, Changes::samples);
                refuse_more_samples(compare.samples, recorded)?;
                for of_engine in &mut changes {
                    of_engine.limit_samples(compare.samples);
                }
            }
            Some(_) => {}
            None => changes.clear(),
        }
        let results = summaries.into_iter().map(|summary| ReplayResult {
            jobs: None,
            observed: summary.clone(),
            summary,
        });
        Ok(ReportParts {
            results: results.collect(),
            record,
            columns,
            differences: changes.into_iter().map(Difference::from).collect(),
            options: replay.options_of_parts(facts.skipped),
            notes: parts_notes,
            facts,
            sources,
            shards,
        })
    }
}

fn refuse_more_samples(wanted: usize, recorded: usize) -> Result<()> {
    if wanted <= recorded {
        return Ok(());
    }
    let message = format!("the partial summaries have {recorded} jobs of each difference");
    let help = format!("use --samples {recorded}, or replay the shards with --samples {wanted}");
    Err(Refusal::input(message).help(help).into())
}
