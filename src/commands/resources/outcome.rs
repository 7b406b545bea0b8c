//! The end of a command that writes: its report, its errors and its exit code.

use super::Executor;
use crate::cli::{Context, DryRun, Exit, NOTHING_SENT, Output, Refusal};
use crate::report::{self as render, Action, ApplyReport, WriteItem};
use anyhow::Result;
use client::ClientError;

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
    let consequence = executor.has_failed_before_sending().then_some(NOTHING_SENT);
    let Executor { items, failures, notes, is_interrupted, .. } = executor;
    let end = ReportEnd { notes: &notes, failures: &failures, consequence };
    print_report(context, output, &apply_report(items, dry_run), &end)?;
    if dry_run == DryRun::Server {
        context.ui.note("permission to write was not checked")?;
    }
    if is_interrupted {
        context.ui.note(INTERRUPTED)?;
        return Ok(Exit::Interrupted);
    }
    Ok(failures.first().map_or(Exit::Done, |error| error.kind.into()))
}

/// Prints objects that were only checked, without a server: the action is that of all of them.
pub(in crate::commands) fn report_offline(
    context: &mut Context<'_>,
    output: Output,
    objects: impl IntoIterator<Item = (&'static str, String)>,
    action: Action,
) -> Result<Exit> {
    let checked = |(kind, name)| WriteItem::new(kind, name, action);
    let report = apply_report(objects.into_iter().map(checked).collect(), DryRun::Client);
    print_report(context, output, &report, &ReportEnd::default())?;
    context.ui.note("the input is valid; no server was contacted")?;
    Ok(Exit::Done)
}

/// The report of a command, or of its dry run.
pub(in crate::commands) fn apply_report(items: Vec<WriteItem>, dry_run: DryRun) -> ApplyReport {
    ApplyReport::new(items, (dry_run != DryRun::None).then(|| dry_run.as_str()))
}

/// The text after the rows of a report.
#[derive(Default)]
pub(in crate::commands) struct ReportEnd<'r> {
    /// Notes on objects that were written.
    pub notes: &'r [String],
    /// The errors, in the order of the rows.
    pub failures: &'r [ClientError],
    /// The consequence of the errors, such as [`NOTHING_SENT`].
    pub consequence: Option<&'r str>,
}

/// Prints the rows, then notes and errors, then how many objects each action was done to.
pub(in crate::commands) fn print_report(
    context: &mut Context<'_>,
    output: Output,
    report: &ApplyReport,
    end: &ReportEnd<'_>,
) -> Result<()> {
    let text = match output {
        Output::Json => render::json(report),
        Output::Yaml => render::yaml(report)?,
        Output::Name => report.names(),
        _ if report.items.is_empty() => String::new(),
        _ => report.table(&context.layout(output == Output::Wide)),
    };
    context.ui.data(&text)?;
    context.ui.flush()?;
    end.notes.iter().try_for_each(|note| context.ui.note(note))?;
    print_errors(context, end.failures)?;
    let line = report.line();
    let line = end.consequence.map_or_else(|| line.clone(), |what| format!("{line}; {what}"));
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
