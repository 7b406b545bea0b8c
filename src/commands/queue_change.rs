//! One change of several queues: they are read first, written concurrently and reported one by one.

use super::connection::{REQUESTS_AT_ONCE, ServerConnection};
use super::resources::{
    INTERRUPTED, QUEUE, ReportEnd, apply_report, failed_item, lost_change, print_report,
};
use crate::cli::{Context, DryRun, Exit, Output};
use crate::report::{Action, ApplyReport, WriteItem};
use anyhow::Result;
pub use client::{
    ChangeEnd, ChangeOutcome, ClientError, ClientErrorKind, Fields, Live, Slot, change_queue,
    run_stoppable,
};
use std::ops::ControlFlow;

/// A change of one field of a queue; it leaves the queue as it is if it has the value already.
pub(super) trait QueueChange: Clone + Send + Sync + 'static {
    /// The field that it may change.
    const FIELD: &'static str;

    /// Changes a queue.
    fn apply(&self, queue: &mut Fields) -> Result<(), ClientError>;

    /// The list that it changes, as a queue has it; `None` if the field is no list.
    fn list(&self, _queue: &Fields) -> Option<Vec<String>> {
        None
    }
}

/// The forms of the report.
pub(super) const OUTPUTS: [Output; 4] = [Output::Table, Output::Json, Output::Yaml, Output::Name];

/// The outcome of a change of one queue, and its list before and after.
#[derive(Debug, Clone)]
struct Outcome {
    result: Result<Action, ClientError>,
    before: Option<Vec<String>>,
    after: Option<Vec<String>>,
}

/// Makes the change, or previews it in a dry run, and prints the report. `queues` are as they were
/// read.
pub(super) fn change<C: QueueChange>(
    context: &mut Context<'_>,
    server: &ServerConnection,
    queues: &[(String, Live)],
    dry_run: DryRun,
    change: &C,
    output: Output,
) -> Result<(Exit, ApplyReport)> {
    let names = || queues.iter().map(|(name, _)| name.clone());
    let outcomes = if dry_run == DryRun::None {
        write(server, names().collect(), change)?
    } else {
        queues.iter().map(|(_, live)| Some(preview(&live.fields, change))).collect()
    };
    let (exit, report) = report(context, names().zip(outcomes), C::FIELD, dry_run, output)?;
    if dry_run == DryRun::None && server.stop().is_requested() {
        context.ui.note(INTERRUPTED)?;
        return Ok((Exit::Interrupted, report));
    }
    Ok((exit, report))
}

/// Reports queues that were not read, in a dry run without a server.
pub(super) fn report_offline<C: QueueChange>(
    context: &mut Context<'_>,
    names: Vec<String>,
    _: &C,
    output: Output,
) -> Result<Exit> {
    let outcomes = names.into_iter().map(|name| (name, None));
    let (exit, _) = report(context, outcomes, C::FIELD, DryRun::Client, output)?;
    context.ui.note("the input is valid; no server was contacted")?;
    Ok(exit)
}

fn preview(queue: &Fields, change: &impl QueueChange) -> Outcome {
    let mut body = queue.clone();
    let result = match change.apply(&mut body) {
        Err(error) => Err(error),
        Ok(()) if body == *queue => Ok(Action::Unchanged),
        Ok(()) => Ok(Action::Configured),
    };
    Outcome { result, before: change.list(queue), after: change.list(&body) }
}

/// Writes concurrently. After an error that every queue would have, no further write is begun.
fn write<C: QueueChange>(
    server: &ServerConnection,
    names: Vec<String>,
    change: &C,
) -> Result<Vec<Option<Outcome>>> {
    let mut outcomes: Vec<Option<Outcome>> = vec![None; names.len()];
    let request = |name: String, mut slot: Slot| {
        let (client, change) = (server.client.clone(), change.clone());
        async move {
            let result = change_queue(&client, &mut slot, &name, |queue| change.apply(queue)).await;
            outcome(&name, result, &change)
        }
    };
    server.wait(async {
        run_stoppable(REQUESTS_AT_ONCE, server.stop(), names, request, |index, outcome| {
            let is_general = outcome.result.as_ref().is_err_and(|error| error.kind.is_general());
            outcomes[index] = Some(outcome);
            if is_general { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
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
    let list = |queue: &Option<Fields>| queue.as_ref().and_then(|queue| change.list(queue));
    let (before, after) = match &outcome {
        Ok(outcome) => (list(&outcome.before), list(&outcome.after)),
        Err(_) => (None, None),
    };
    let result = match outcome.map(|outcome| outcome.end) {
        Ok(ChangeEnd::Written) => Ok(Action::Configured),
        Ok(ChangeEnd::Unchanged) => Ok(Action::Unchanged),
        Ok(ChangeEnd::Missing) => {
            let message = format!("the queue `{name}` no longer exists");
            Err(ClientError::new(ClientErrorKind::NotFound, message))
        }
        Ok(ChangeEnd::Lost(writes)) => Err(lost_change(name, writes)),
        Err(error) if error.kind == ClientErrorKind::Changed => {
            let message =
                format!("other clients kept changing the queue `{name}`; it was left unchanged");
            Err(ClientError::new(error.kind, message).help("try again later"))
        }
        // The names of the command line were checked before, so that this name is from the server.
        Err(error) if error.kind == ClientErrorKind::BadName => {
            Err(ClientError { kind: ClientErrorKind::Refused, ..error })
        }
        Err(error) => Err(error),
    };
    Outcome { result, before, after }
}

/// Prints the report and the errors; the exit code is that of the first error.
fn report(
    context: &mut Context<'_>,
    outcomes: impl Iterator<Item = (String, Option<Outcome>)>,
    field: &str,
    dry_run: DryRun,
    output: Output,
) -> Result<(Exit, ApplyReport)> {
    let mut failures = Vec::new();
    let items = outcomes.map(|(name, outcome)| {
        let Some(Outcome { result, before, after }) = outcome else {
            let is_offline = dry_run == DryRun::Client;
            let action = if is_offline { Action::Valid } else { Action::NotDone };
            return WriteItem::new(QUEUE, name, action);
        };
        let item = match result {
            Ok(Action::Configured) => {
                WriteItem::new(QUEUE, name, Action::Configured).fields(vec![field.to_owned()])
            }
            Ok(action) => WriteItem::new(QUEUE, name, action),
            Err(error) => {
                let item = failed_item(QUEUE, name, &error);
                failures.push(error);
                item
            }
        };
        item.policies(before, after)
    });
    let report = apply_report(items.collect(), dry_run);
    let end = ReportEnd { failures: &failures, ..ReportEnd::default() };
    print_report(context, output, &report, &end)?;
    if dry_run == DryRun::Server {
        context.ui.note("permission to write was not checked")?;
    }
    Ok((failures.first().map_or(Exit::Done, |error| error.kind.into()), report))
}
