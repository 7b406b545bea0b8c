//! One change to several queues: looked at first, written at the same time, reported one by one.

use super::Context;
use super::connect::Connected;
use super::dry_run::DryRun;
use super::known::AT_ONCE;
use crate::cli::{Exit, Output, Refusal};
use crate::client::{Changed, ClientError, Fields, Live, Trouble, bounded, change_queue};
use crate::report::{Action, ApplyReport, Layout, Resource, Written};
use anyhow::Result;
use std::ops::ControlFlow;

/// What a queue should be like. It leaves alone what is already so.
pub(super) trait QueueChange: Clone + Send + Sync + 'static {
    /// The field that it may change.
    const FIELD: &'static str;

    /// Changes a queue.
    fn apply(&self, queue: &mut Fields) -> Result<(), ClientError>;
}

/// The forms of the report.
pub(super) const OUTPUTS: [Output; 4] = [Output::Table, Output::Json, Output::Yaml, Output::Name];

/// What became of one queue, and why if it failed.
type Outcome = Result<Action, Refusal>;

/// Makes the change, or says what it would be, and reports. Give the queues as they were read.
pub(super) fn change<C: QueueChange>(
    context: &mut Context<'_>,
    server: &Connected,
    queues: &[(String, Live)],
    dry_run: DryRun,
    change: &C,
    output: Output,
) -> Result<Exit> {
    let names = || queues.iter().map(|(name, _)| name.clone());
    let outcomes = if dry_run == DryRun::None {
        write(server, names().collect(), change)?
    } else {
        queues.iter().map(|(_, live)| Some(tried(&live.fields, change))).collect()
    };
    report(context, names().zip(outcomes), C::FIELD, dry_run, output)
}

/// What would be done if nothing of the queues is known: the command line is good.
pub(super) fn unasked<C: QueueChange>(
    context: &mut Context<'_>,
    names: Vec<String>,
    _: &C,
    output: Output,
) -> Result<Exit> {
    let outcomes = names.into_iter().map(|name| (name, Some(Ok(Action::NotDone))));
    let exit = report(context, outcomes, C::FIELD, DryRun::Client, output)?;
    context.ui.note("what is given is valid; no server was asked")?;
    Ok(exit)
}

fn tried(queue: &Fields, change: &impl QueueChange) -> Outcome {
    let mut changed = queue.clone();
    change.apply(&mut changed).map_err(|error| Refusal::from(&error))?;
    Ok(if changed == *queue { Action::Unchanged } else { Action::Configured })
}

/// Writes at the same time; after a trouble that is everybody's nothing more is begun.
fn write<C: QueueChange>(
    server: &Connected,
    names: Vec<String>,
    change: &C,
) -> Result<Vec<Option<Outcome>>> {
    let mut outcomes: Vec<Option<Outcome>> = vec![None; names.len()];
    let work = |name: String| {
        let (client, change) = (server.client.clone(), change.clone());
        async move {
            let changed = change_queue(&client, &name, |queue| change.apply(queue)).await;
            outcome(&name, changed, C::FIELD)
        }
    };
    server.wait(async {
        bounded(AT_ONCE, names, work, |index, outcome| {
            let over = matches!(&outcome, Err(Refusal { exit: Exit::Denied | Exit::Server, .. }));
            outcomes[index] = Some(outcome);
            if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .await;
        Ok(())
    })?;
    Ok(outcomes)
}

fn outcome(name: &str, changed: Result<Changed, ClientError>, field: &str) -> Outcome {
    let failed = |exit, message: String| Refusal { exit, ..Refusal::usage(message) };
    match changed {
        Ok(Changed::Written) => Ok(Action::Configured),
        Ok(Changed::Unchanged) => Ok(Action::Unchanged),
        Ok(Changed::Missing) => {
            Err(failed(Exit::NotFound, format!("the queue `{name}` is not there any more")))
        }
        Ok(Changed::Overwritten) => {
            let message = format!(
                "the queue `{name}` was written, but the change is not there: another writer won, or the server does not keep `{field}`"
            );
            let help = format!("look at `armadactl get queue {name} -o yaml`, and try again");
            Err(failed(Exit::Refused, message).help(help))
        }
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
    }
}

/// Prints what was done and what failed; the exit code is the first failure's.
fn report(
    context: &mut Context<'_>,
    outcomes: impl Iterator<Item = (String, Option<Outcome>)>,
    field: &str,
    dry_run: DryRun,
    output: Output,
) -> Result<Exit> {
    let mut refusals = Vec::new();
    let items = outcomes.map(|(name, outcome)| match outcome {
        None => Written::new("Queue", name, Action::NotDone),
        Some(Ok(Action::Configured)) => {
            Written::new("Queue", name, Action::Configured).fields(vec![field.to_owned()])
        }
        Some(Ok(action)) => Written::new("Queue", name, action),
        Some(Err(refusal)) => {
            let written = Written::failed("Queue", name, &refusal.message);
            refusals.push(refusal);
            written
        }
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
    Ok(refusals.first().map_or(Exit::Done, |refusal| refusal.exit))
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
