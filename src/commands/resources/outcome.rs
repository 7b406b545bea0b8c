//! The end of a command that writes: its report, its errors and its exit code.

use super::Executor;
use crate::cli::{Context, DryRun, Exit, NOTHING_SENT, Output, Refusal};
use crate::client::ClientError;
use crate::report::{self as render, Action, ApplyReport, WriteItem};
use anyhow::Result;

/// The note of an interrupted command.
pub(in crate::commands) const INTERRUPTED: &str = "interrupted: what is `not done` was not started, and the \
                                                   last queues were verified without the usual wait; run the \
                                                   command again to finish";

/// The forms that these commands print.
pub(in crate::commands) const FORMS: [Output; 5] =
    [Output::Table, Output::Wide, Output::Json, Output::Yaml, Output::Name];

/// Prints the report, notes and errors. The exit code is that of the first failure.
pub(in crate::commands) fn report(
    context: &mut Context<'_>,
    output: Output,
    executor: Executor<'_>,
    dry_run: DryRun,
) -> Result<Exit> {
    let end = executor.has_failed_before_sending().then_some(NOTHING_SENT);
    let Executor { items, failures, notes, is_interrupted, .. } = executor;
    print(context, output, items, dry_run, end)?;
    notes.iter().try_for_each(|note| context.ui.note(note))?;
    print_errors(context, &failures)?;
    if dry_run == DryRun::Server {
        context.ui.note("permission to write was not checked")?;
    }
    if is_interrupted {
        context.ui.note(INTERRUPTED)?;
        return Ok(Exit::Interrupted);
    }
    Ok(failures.first().map_or(Exit::Done, |error| error.kind.into()))
}

/// Prints objects that were only checked, without a server.
pub(in crate::commands) fn report_offline(
    context: &mut Context<'_>,
    output: Output,
    objects: impl IntoIterator<Item = (&'static str, String)>,
) -> Result<Exit> {
    let checked = |(kind, name)| WriteItem::new(kind, name, Action::NotDone);
    print(context, output, objects.into_iter().map(checked).collect(), DryRun::Client, None)?;
    context.ui.note("the input is valid; no server was contacted")?;
    Ok(Exit::Done)
}

fn print(
    context: &mut Context<'_>,
    output: Output,
    items: Vec<WriteItem>,
    dry_run: DryRun,
    end: Option<&str>,
) -> Result<()> {
    let report = ApplyReport::new(items, (dry_run != DryRun::None).then(|| dry_run.as_str()));
    let text = match output {
        Output::Json => render::json(&report),
        Output::Yaml => render::yaml(&report)?,
        Output::Name => report.names(),
        _ if report.items.is_empty() => String::new(),
        _ => report.table(&context.layout(output == Output::Wide)),
    };
    context.ui.data(&text)?;
    context.ui.flush()?;
    let line = report.line();
    let line = end.map_or_else(|| line.clone(), |end| format!("{line}; {end}"));
    Ok(context.ui.note(&line)?)
}

/// Limit of failures that are printed one by one; the report has all of them.
const MAX_PRINTED: usize = 10;

fn print_errors(context: &mut Context<'_>, failures: &[ClientError]) -> Result<()> {
    for failure in failures.iter().take(MAX_PRINTED) {
        let refusal = Refusal::from(failure);
        context.ui.error(&refusal.message, refusal.help.as_deref())?;
    }
    if failures.len() > MAX_PRINTED {
        context.ui.note(&format!("and {} more failures", failures.len() - MAX_PRINTED))?;
    }
    Ok(())
}
