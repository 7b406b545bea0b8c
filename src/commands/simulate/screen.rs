//! The report of a replay on a screen.

use super::{SimulateArgs, TimelinesName};
use crate::cli::{Context, Output};
use crate::report::answer;
use crate::report::simulation::Section;
use crate::ui;
use anyhow::Result;
use replay::simulate::SimulationReport;

/// Prints the answer so far.
pub(super) fn print_so_far(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    report: &mut SimulationReport,
) -> Result<()> {
    report.answer.sentences = answer::sentences(report);
    let output = context.globals.output("simulate", &[Output::Table, Output::Json])?;
    let text = if output == Output::Json {
        ui::json_line(report)
    } else {
        let answer = table(context, args, &[], report);
        format!("\nThe answer so far:\n{answer}\n")
    };
    context.ui.data(&text)?;
    Ok(context.ui.flush()?)
}

/// The report on a screen: the answer, and the sections that `--show` names.
pub(super) fn table(
    context: &Context<'_>,
    args: &SimulateArgs,
    sections: &[Section],
    report: &SimulationReport,
) -> String {
    let layout = context.layout(false);
    let is_job = report.jobs.as_ref().is_some_and(|jobs| jobs.len() == 1)
        && report.summary.totals.jobs == 1
        && report.has_policies();
    if context.globals.quiet {
        return answer::quiet(report, &layout);
    }
    if is_job && sections.is_empty() {
        return answer::job(report, &layout);
    }
    let mut text = answer::answer(report, sections, &layout);
    if args.timelines == TimelinesName::All {
        text.push('\n');
        text.push_str(&answer::timelines(report, &layout));
    }
    text
}
