//! The end of a command that writes: the report, what went wrong, and the exit code.

use super::Carrying;
use crate::cli::{Exit, NOTHING_SENT, Output, Refusal};
use crate::client::ClientError;
use crate::commands::Context;
use crate::commands::dry_run::DryRun;
use crate::report::{self, Action, ApplyReport, Layout, Written};
use anyhow::Result;

/// What an interrupted command adds to its report.
pub(in crate::commands) const INTERRUPTED: &str = "interrupted: what is not done was not begun, and \
    queues written last were read back without the usual wait; a second run finishes";

/// The forms that these commands print.
pub(in crate::commands) const FORMS: [Output; 5] =
    [Output::Table, Output::Wide, Output::Json, Output::Yaml, Output::Name];

/// The layout of a table.
pub(in crate::commands) fn layout(context: &Context<'_>, output: Output) -> Layout {
    Layout {
        wide: output == Output::Wide,
        headers: !context.globals.no_headers,
        width: context.ui.width(),
        style: context.ui.style(),
    }
}

/// Prints what was done and what was not. The exit code is that of the first failure.
pub(in crate::commands) fn finish(
    context: &mut Context<'_>,
    output: Output,
    carrying: Carrying<'_>,
    dry_run: DryRun,
) -> Result<Exit> {
    let end = carrying.has_sent_nothing().then_some(NOTHING_SENT);
    let Carrying { items, failures, notes, interrupted, .. } = carrying;
    print(context, output, items, dry_run, end)?;
    notes.iter().try_for_each(|note| context.ui.note(note))?;
    errors(context, &failures)?;
    if dry_run == DryRun::Server {
        context.ui.note("whether you may write cannot be checked by reading")?;
    }
    if interrupted {
        context.ui.note(INTERRUPTED)?;
        return Ok(Exit::Interrupted);
    }
    Ok(failures.first().map_or(Exit::Done, |error| error.trouble.into()))
}

/// Says of things that they have been checked, and no more: no server was asked.
pub(in crate::commands) fn offline(
    context: &mut Context<'_>,
    output: Output,
    things: impl IntoIterator<Item = (&'static str, String)>,
) -> Result<Exit> {
    let checked = |(kind, name)| Written::new(kind, name, Action::NotDone);
    print(context, output, things.into_iter().map(checked).collect(), DryRun::Client, None)?;
    context.ui.note("what is given is valid; no server was asked")?;
    Ok(Exit::Done)
}

fn print(
    context: &mut Context<'_>,
    output: Output,
    items: Vec<Written>,
    dry_run: DryRun,
    end: Option<&str>,
) -> Result<()> {
    let report = ApplyReport::new(items, (dry_run != DryRun::None).then(|| dry_run.as_str()));
    let text = match output {
        Output::Json => report::json(&report),
        Output::Yaml => report::yaml(&report)?,
        Output::Name => report.names(),
        _ if report.items.is_empty() => String::new(),
        _ => report.table(&layout(context, output)),
    };
    context.ui.data(&text)?;
    context.ui.flush()?;
    let line = report.line();
    let line = end.map_or_else(|| line.clone(), |end| format!("{line}; {end}"));
    Ok(context.ui.note(&line)?)
}

/// Failures that are said one by one.
const SHOWN: usize = 10;

fn errors(context: &mut Context<'_>, failures: &[ClientError]) -> Result<()> {
    for failure in failures.iter().take(SHOWN) {
        let refusal = Refusal::from(failure);
        context.ui.error(&refusal.message, refusal.help.as_deref())?;
    }
    if failures.len() > SHOWN {
        context.ui.note(&format!("and {} more failures", failures.len() - SHOWN))?;
    }
    Ok(())
}
