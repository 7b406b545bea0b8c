//! One change to several queues: looked at first, written at the same time, reported one by one.

use super::Context;
use super::connect::Connected;
use super::dry_run::DryRun;
use super::known::AT_ONCE;
use super::resources::INTERRUPTED;
use crate::cli::{Exit, Output, Refusal};
use crate::client::{
    ChangeEnd, ChangeOutcome, ClientError, Fields, Live, Slot, Trouble, change_queue, stoppable,
};
use crate::report::{Action, ApplyReport, Layout, Resource, Written};
use anyhow::Result;
use std::ops::ControlFlow;

/// What a queue should be like. It leaves alone what is already so.
pub(super) trait QueueChange: Clone + Send + Sync + 'static {
    /// The field that it may change.
    const FIELD: &'static str;

    /// Changes a queue.
    fn apply(&self, queue: &mut Fields) -> Result<(), ClientError>;

    /// The list that it changes, as a queue has it; none if the field is no list.
    fn list(&self, _queue: &Fields) -> Option<Vec<String>> {
        None
    }
}

/// The forms of the report.
pub(super) const OUTPUTS: [Output; 4] = [Output::Table, Output::Json, Output::Yaml, Output::Name];

/// What was done to one queue, or why it failed, and its list before and after.
#[derive(Debug, Clone)]
struct Outcome {
    result: Result<Action, Refusal>,
    before: Option<Vec<String>>,
    after: Option<Vec<String>>,
}

/// Makes the change, or says what it would be, and reports. Give the queues as they were read.
pub(super) fn change<C: QueueChange>(
    context: &mut Context<'_>,
    server: &Connected,
    queues: &[(String, Live)],
    dry_run: DryRun,
    change: &C,
    output: Output,
) -> Result<(Exit, ApplyReport)> {
    let names = || queues.iter().map(|(name, _)| name.clone());
    let outcomes = if dry_run == DryRun::None {
        write(server, names().collect(), change)?
    } else {
        queues.iter().map(|(_, live)| Some(tried(&live.fields, change))).collect()
    };
    let (exit, report) = report(context, names().zip(outcomes), C::FIELD, dry_run, output)?;
    if dry_run == DryRun::None && server.stop().is_requested() {
        context.ui.note(INTERRUPTED)?;
        return Ok((Exit::Interrupted, report));
    }
    Ok((exit, report))
}

/// What would be done if nothing of the queues is known: the command line is good.
pub(super) fn unasked<C: QueueChange>(
    context: &mut Context<'_>,
    names: Vec<String>,
    _: &C,
    output: Output,
) -> Result<Exit> {
    let outcomes = names.into_iter().map(|name| (name, None));
    let (exit, _) = report(context, outcomes, C::FIELD, DryRun::Client, output)?;
    context.ui.note("what is given is valid; no server was asked")?;
    Ok(exit)
}

fn tried(queue: &Fields, change: &impl QueueChange) -> Outcome {
    let mut body = queue.clone();
    let result = match change.apply(&mut body) {
        Err(error) => Err(Refusal::from(&error)),
        Ok(()) if body == *queue => Ok(Action::Unchanged),
        Ok(()) => Ok(Action::Configured),
    };
    Outcome { result, before: change.list(queue), after: change.list(&body) }
}

/// Writes at the same time; after a trouble that is everybody's nothing more is begun.
fn write<C: QueueChange>(
    server: &Connected,
    names: Vec<String>,
    change: &C,
) -> Result<Vec<Option<Outcome>>> {
    let mut outcomes: Vec<Option<Outcome>> = vec![None; names.len()];
    let work = |name: String, mut slot: Slot| {
        let (client, change) = (server.client.clone(), change.clone());
        async move {
            let result = change_queue(&client, &mut slot, &name, |queue| change.apply(queue)).await;
            outcome(&name, result, &change)
        }
    };
    server.wait(async {
        stoppable(AT_ONCE, server.stop(), names, work, |index, outcome| {
            let refusal = outcome.result.as_ref().err();
            let over =
                refusal.is_some_and(|refusal| matches!(refusal.exit, Exit::Denied | Exit::Server));
            outcomes[index] = Some(outcome);
            if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .await;
        Ok(())
    })?;
    Ok(outcomes)
}

fn outcome<C: QueueChange>(
    name: &str,
    outcome: Result<ChangeOutcome, ClientError>,
    change: &C,
) -> Outcome {
    let failed = |exit, message: String| Refusal { exit, ..Refusal::usage(message) };
    let list = |queue: &Option<Fields>| queue.as_ref().and_then(|queue| change.list(queue));
    let (before, after) = match &outcome {
        Ok(outcome) => (list(&outcome.before), list(&outcome.after)),
        Err(_) => (None, None),
    };
    let result = match outcome.map(|outcome| outcome.end) {
        Ok(ChangeEnd::Written) => Ok(Action::Configured),
        Ok(ChangeEnd::Unchanged) => Ok(Action::Unchanged),
        Ok(ChangeEnd::Missing) => {
            Err(failed(Exit::NotFound, format!("the queue `{name}` is not there any more")))
        }
        Ok(ChangeEnd::Lost(writes)) => Err(Refusal::from(&lost(name, writes))),
        Err(error) if error.trouble == Trouble::Changed => {
            let message =
                format!("other writers kept changing the queue `{name}`: it is as they left it");
            Err(failed(Exit::Refused, message).help("try again later"))
        }
        // The command line's names are good: this one is the server's.
        Err(error) if error.trouble == Trouble::BadName => {
            Err(failed(Exit::Refused, error.message))
        }
        Err(error) => Err(Refusal::from(&error)),
    };
    Outcome { result, before, after }
}

/// The error of a change that was gone whenever the queue was read again.
pub(super) fn lost(name: &str, writes: u32) -> ClientError {
    let times = if writes == 1 { String::new() } else { format!(" {writes} times") };
    let message = format!(
        "the queue `{name}` was written{times}, but the change was gone when it was read again: another writer overwrote it, or the server does not keep the field"
    );
    let help = format!("look at `armadactl get queue {name} -o yaml`, and try again");
    ClientError::new(Trouble::Refused, message).help(help)
}

/// Prints what was done and what failed; the exit code is the first failure's.
fn report(
    context: &mut Context<'_>,
    outcomes: impl Iterator<Item = (String, Option<Outcome>)>,
    field: &str,
    dry_run: DryRun,
    output: Output,
) -> Result<(Exit, ApplyReport)> {
    let mut refusals = Vec::new();
    let items = outcomes.map(|(name, outcome)| {
        let Some(Outcome { result, before, after }) = outcome else {
            return Written::new("Queue", name, Action::NotDone);
        };
        let written = match result {
            Ok(Action::Configured) => {
                Written::new("Queue", name, Action::Configured).fields(vec![field.to_owned()])
            }
            Ok(action) => Written::new("Queue", name, action),
            Err(refusal) => {
                let written = Written::failed("Queue", name, &refusal.message);
                refusals.push(refusal);
                written
            }
        };
        written.policies(before, after)
    });
    let mode = (dry_run != DryRun::None).then(|| dry_run.as_str());
    let report = ApplyReport::new(items.collect(), mode);
    context.ui.data(&text(context, &report, output)?)?;
    for Refusal { message, help, .. } in &refusals {
        context.ui.error(message, help.as_deref())?;
    }
    if dry_run == DryRun::Server {
        context.ui.note("whether you may write cannot be checked by reading")?;
    }
    if output == Output::Table {
        context.ui.flush()?;
        context.ui.note(&report.line())?;
    }
    Ok((refusals.first().map_or(Exit::Done, |refusal| refusal.exit), report))
}

fn text(context: &Context<'_>, report: &ApplyReport, output: Output) -> Result<String> {
    Ok(match output {
        Output::Json => crate::report::json(report),
        Output::Yaml => Resource::of(report)?.yaml(),
        Output::Name => report.names(),
        Output::Table | Output::Wide => report.table(&Layout {
            wide: false,
            headers: !context.globals.no_headers,
            width: context.ui.width(),
            style: context.ui.style(),
        }),
    })
}
