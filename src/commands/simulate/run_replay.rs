//! The flow of `simulate`: reads the policies, replays the histories through them and prints the report.

use super::base::Comparison;
use super::inputs::{Inputs, Sources};
use super::variant_args::{FIRST_VARIANT, LIVE_VARIANT, VariantArg};
use super::{
    BadRecord, Format, SimulateArgs, armada, changes, cluster, figures, manifests, partial,
    provenance, screen, show, without_policies,
};
use crate::cli::{Context, Exit, Output, Refusal};
use crate::commands::disruptions::DisruptionArgs;
use crate::commands::policy_set::PolicySetArgs;
use crate::commands::report_files::{Reports, SimulationFormat};
use crate::commands::system_args::SystemArgs;
use crate::project::{self, ExecutorFiles, Manifests, PolicyScope, Project};
use crate::report::simulation::Section;
use crate::report::{self, answer, csv, page};
use crate::ui;
use anyhow::Result;
use armada_retry::policy::Documents;
use document::diag::Findings;
use replay::history::ArmadaRun;
use replay::simulate::{Observe, SimulationReport};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use systems::{SystemName, with_system};

/// Replays the histories, or simulates a cluster, and prints the report.
pub fn run(context: &mut Context<'_>, args: &SimulateArgs) -> Result<Exit> {
    use Output::{Csv, Json, Table, Wide, Yaml};
    args.reports.begin("simulate").run(context, |context, reports| {
        let forms: &[Output] =
            if args.follow.is_set() { &[Table, Json] } else { &[Table, Wide, Json, Yaml, Csv] };
        let output = context.globals.output("simulate", forms)?;
        if args.follow.is_set() && output == Json {
            context.ui.begin_json_lines();
        }
        if args.simulated.cluster.is_some() {
            return cluster::run(context, args, (output, reports));
        }
        let comparison = Comparison::read(context, args)?;
        replay(context, args, (output, reports), comparison.as_ref())
    })
}

/// Replays the histories, or those of a comparison, and prints the report.
fn replay(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    (output, reports): (Output, &Reports<SimulationFormat>),
    comparison: Option<&Comparison>,
) -> Result<Exit> {
    use Output::{Csv, Json, Table, Wide, Yaml};
    let args = comparison.map_or(args, Comparison::args);
    let sections = show::sections(&args.show, &Section::ALL, "a replay")?;
    let csv_section = (output == Csv).then(|| show::only(&sections)).transpose()?;
    refuse_flags(args, reports)?;
    let (args, words, mut report) = match comparison {
        None => match replay_once(context, args)? {
            Some(report) => (args, &context.globals.words, report),
            None => return Ok(Exit::Done),
        },
        Some(comparison) => {
            let (line, report) = comparison.replay(|args| {
                let report = replay_once(context, args)?;
                report.ok_or_else(|| Refusal::input("no report").into())
            })?;
            (&*line.args, &line.words, report)
        }
    };
    // The report is printed although it lacks a name of an assertion.
    let (assertions, refused) = figures::evaluate(args, &report);
    report.assertions = assertions;
    let text = match (output, csv_section) {
        (Json, _) if args.follow.is_set() => ui::json_line(&report),
        (Json, _) => report::json(&report),
        (Yaml, _) => report::yaml(&report)?,
        (Csv, Some(section)) => csv::replay(&report, section),
        (Wide, _) => answer::wide(&report, &context.layout(true)),
        (Table | Output::Name | Csv, _) => screen::table(context, args, &sections, &report),
    };
    if !reports.has_stdout() {
        if args.follow.is_set() && output == Table {
            context.ui.data("\n")?;
        }
        context.ui.data(&text)?;
    }
    reports.write_page(context.ui, || {
        page::replay(&report, &provenance::replay_sources(args), &provenance::gather(args, words))
    })?;
    refused?;
    Ok(exit(args, &report))
}

/// Refuses flags that exclude each other, and files that are read and written.
fn refuse_flags(args: &SimulateArgs, reports: &Reports<SimulationFormat>) -> Result<()> {
    let reserved: &[&str] =
        if args.live { &[FIRST_VARIANT, LIVE_VARIANT] } else { &[FIRST_VARIANT] };
    VariantArg::refuse_equal_names(&args.variant, reserved)?;
    changes::refuse_file(args)?;
    partial::refuse_flags(args)?;
    project::refuse_second_stdin(args.configuration().chain(&args.history))?;
    reports.refuse_inputs(|file| args.reads(file))?;
    if args.follow.is_set() && reports.has_stdout() {
        let message = "`--follow` prints decisions to stdout, where `--report` prints to `-`";
        return Err(Refusal::usage(message).help("give the report a file").into());
    }
    Ok(())
}

/// The report of a replay.
fn replay_once(context: &mut Context<'_>, args: &SimulateArgs) -> Result<Option<SimulationReport>> {
    let mut findings = Findings::new();
    // A stream is opened when it is followed.
    let inputs =
        if args.follow.is_set() { Inputs::none() } else { Inputs::open(args, &mut findings) };
    let project = if args.has_policies() {
        Project::read(args.first_variant().1, PolicyScope::OneSystem)
    } else {
        without_policies::refuse_flags(args)?;
        without_policies::project(inputs.heads())
    };
    let histories = (inputs, findings);
    let mut report = with_system!(
        project.system,
        Armada => armada::replay(context, args, project, histories, None)?,
        S => manifests::replay::<S>(context, args, project, (histories, Findings::new()))?,
    );
    if let Some(report) = &mut report {
        report.answer.sentences = answer::sentences(report);
    }
    Ok(report)
}

/// Policies and histories of a replay whose report another command uses.
pub struct PoliciesOfHistories {
    /// The policies of Armada, and their settings.
    pub policies: PolicySetArgs,
    /// The settings of other systems.
    pub systems: SystemArgs,
    /// The configurations that classify failures.
    pub executor_config: Vec<ExecutorFiles>,
    /// The table by which disruptions are recognised.
    pub disruptions: DisruptionArgs,
    /// The files, directories and patterns.
    pub history: Vec<PathBuf>,
}

/// Replays histories through the policies of a system, for commands that use only the report.
pub fn replay_histories(
    context: &mut Context<'_>,
    of: PoliciesOfHistories,
    (system, documents): (SystemName, Documents),
) -> Result<SimulationReport> {
    let PoliciesOfHistories { policies, systems, executor_config, disruptions, history } = of;
    let args = SimulateArgs::from_histories(policies, executor_config, disruptions, history);
    let args = SimulateArgs { systems, ..args };
    let project = Project { documents, system, findings: Findings::new() };
    let mut findings = Findings::new();
    let inputs = Inputs::open(&args, &mut findings);
    let histories = (inputs, findings);
    let report = with_system!(
        system,
        Armada => armada::replay(context, &args, project, histories, None)?,
        S => {
            let mut known = Findings::new();
            Manifests::<S>::read(&project.documents, &args.systems.options()?, &mut known);
            manifests::replay::<S>(context, &args, project, (histories, known))?
        },
    );
    report.ok_or_else(|| Refusal::input("the histories have no report").into())
}

/// Histories of Armada's records.
pub struct HistoryFiles {
    /// The configurations that classify failures.
    pub executor_config: Vec<ExecutorFiles>,
    /// The table by which disruptions are recognised.
    pub disruptions: DisruptionArgs,
    /// The files, directories and patterns.
    pub files: Vec<PathBuf>,
    /// The format of the files.
    pub format: Format,
    /// How to handle bad records.
    pub on_bad_record: BadRecord,
}

/// Reads histories in Armada's terms, and passes each valid run to `observe`. Returns the report on the record, and what
/// the records come from.
pub(in crate::commands) fn read_histories(
    context: &mut Context<'_>,
    histories: HistoryFiles,
    observe: &Observe<'_, ArmadaRun>,
) -> Result<(SimulationReport, Sources)> {
    let HistoryFiles { executor_config, disruptions, files, format, on_bad_record } = histories;
    let policies = PolicySetArgs::without_files();
    let args = SimulateArgs {
        format,
        on_bad_record,
        // The values that are counted apart depend on the order of the runs.
        threads: Some(NonZeroUsize::MIN),
        ..SimulateArgs::from_histories(policies, executor_config, disruptions, files)
    };
    let project = Project::from_sources(&[], PolicyScope::OneSystem, Findings::new());
    let mut findings = Findings::new();
    let inputs = Inputs::open(&args, &mut findings);
    let sources = inputs.sources();
    let report = armada::replay(context, &args, project, (inputs, findings), Some(observe))?;
    let report = report.ok_or_else(|| Refusal::input("the histories have no report"))?;
    Ok((report, sources))
}

/// The exit code: 1 if an assertion does not hold, or if a job failed and `--exit-code` is set.
fn exit(args: &SimulateArgs, report: &SimulationReport) -> Exit {
    let failed = if args.is_of_record() {
        report.answer.on_record("jobsFailed").is_some_and(|jobs| jobs > 0.0)
    } else {
        report.summary.outcomes.get("Failed").is_some_and(|jobs| *jobs > 0)
    };
    let holds = report.assertions.iter().all(|assertion| assertion.holds);
    if holds && !(args.exit_code && failed) { Exit::Done } else { Exit::No }
}
