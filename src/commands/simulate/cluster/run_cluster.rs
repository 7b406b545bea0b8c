//! The flow of `simulate --cluster`: reads the inputs, runs the simulations and prints the report.

use super::inputs::Inputs;
use super::runs::{self, Plan, RunResult};
use super::variants::Variant;
use super::{ClusterArgs, figures};
use crate::cli::{Context, Exit, Output, Refusal};
use crate::commands::report_files::{Reports, SimulationFormat};
use crate::commands::simulate::columns::{labels, sources};
use crate::commands::simulate::variant_args::{FIRST_VARIANT, VariantArg};
use crate::commands::simulate::{SimulateArgs, provenance, show};
use crate::input::resolve_path;
use crate::report::cluster::Section;
use crate::report::{self, cluster, csv, page};
use ::cluster::report::{ClusterReport, Runs, cluster_answer, combine_runs};
use ::cluster::spec::Nanoseconds;
use anyhow::Result;
use document::diag::Findings;
use replay::simulate::AnswerColumn;
use std::num::NonZeroU32;
use std::path::PathBuf;

/// The longest simulated time without `--until`, 366 days.
const DEFAULT_TIME: Nanoseconds = 366 * 24 * 3600 * 1_000_000_000;

/// Runs the simulation and prints its report.
pub(in crate::commands::simulate) fn run(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    (output, reports): (Output, &Reports<SimulationFormat>),
) -> Result<Exit> {
    args.systems.refuse(&Findings::new())?;
    VariantArg::refuse_equal_names(&args.variant, &[FIRST_VARIANT])?;
    VariantArg::refuse_releases(&args.variant)?;
    refuse_streams(&args.simulated)?;
    let sections = show::sections(&args.show, &Section::ALL, "a simulated cluster")?;
    let csv_section = (output == Output::Csv).then(|| show::only(&sections)).transpose()?;
    reports.refuse_inputs(|file| args.reads(file) || args.simulated.writes(file))?;
    let inputs = Inputs::read(context, args)?;
    let plan = plan(args, &inputs)?;
    figures::check(&args.assertions, &inputs, plan.until)?;
    let runs = runs::run(context, args, &inputs, &plan)?;
    let report = build(args, inputs, &plan, runs)?;
    let text = match (output, csv_section) {
        (Output::Json, _) => report::json(&report),
        (Output::Yaml, _) => report::yaml(&report)?,
        (Output::Csv, Some(section)) => csv::cluster(&report, section),
        (Output::Wide, _) => cluster::wide(&report, &context.layout(true)),
        _ if context.globals.quiet => cluster::quiet(&report, &context.layout(false)),
        _ => cluster::answer(&report, &sections, &context.layout(false)),
    };
    if !reports.has_stdout() {
        context.ui.data(&text)?;
    }
    reports.write_page(context.ui, || {
        page::cluster(&report, &provenance::gather(args, &context.globals.words))
    })?;
    let holds = report.assertions.iter().all(|assertion| assertion.holds);
    let failed =
        report.variants.first().is_some_and(|first| first.figures.total.jobs.failed.0 > 0.0);
    Ok(if holds && !(args.exit_code && failed) { Exit::Done } else { Exit::No })
}

/// The seeds and the end of the runs.
///
/// # Errors
///
/// If a file to write is read too, is written twice, or has no single run to write; or if a seed is too large.
fn plan(args: &SimulateArgs, inputs: &Inputs) -> Result<Plan> {
    let seeds = args.simulated.seeds.map_or(1, NonZeroU32::get);
    let files = [&args.simulated.events, &args.simulated.record];
    if files.into_iter().any(Option::is_some) && (seeds > 1 || inputs.variants.len() > 1) {
        let message = "--events and --record need exactly one variant and one seed";
        let help = "leave out --variant and --seeds, or run them one by one";
        return Err(Refusal::usage(message).help(help).into());
    }
    refuse_shared_files(args)?;
    let first = inputs.seed(args.seed);
    if first.checked_add(u64::from(seeds) - 1).is_none() {
        let message =
            format!("--seeds {seeds}: from {first} on, the last seed is above {}", u64::MAX);
        return Err(Refusal::usage(message).help("begin with a smaller --seed").into());
    }
    Ok(Plan { first, seeds, until: args.simulated.until.unwrap_or(DEFAULT_TIME) })
}

/// Builds the report of the runs of each variant.
fn build(
    args: &SimulateArgs,
    inputs: Inputs,
    plan: &Plan,
    runs: Vec<Vec<RunResult>>,
) -> Result<ClusterReport> {
    let all = inputs.variants.iter().zip(runs);
    let all = all.map(|(variant, results)| Runs {
        name: variant.name.clone(),
        engine: variant.engine_name(),
        results,
    });
    let all: Vec<Runs> = all.collect();
    let mut report = ClusterReport {
        api_version: "armadaproject.io/v1",
        kind: "ClusterReport",
        seed: plan.first,
        seeds: plan.seeds,
        scheduler: args.simulated.scheduler.name().to_owned(),
        notes: inputs.notes,
        answer: cluster_answer(&all, columns(args, &inputs.variants)),
        variants: combine_runs(all),
        assertions: Vec::new(),
    };
    report.assertions = figures::evaluate(&args.assertions, &report)?;
    Ok(report)
}

/// The column of each variant in the answer.
fn columns(args: &SimulateArgs, variants: &[Variant]) -> Vec<AnswerColumn> {
    let names: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
    let policies: Vec<Option<String>> = variants.iter().map(Variant::only_policy).collect();
    let columns = variants.iter().zip(labels(&names, &policies));
    let column = columns.map(|(variant, label)| AnswerColumn {
        name: variant.name.clone(),
        label,
        engine: variant.engine_name(),
        sources: sources(args, &variant.name),
    });
    column.collect()
}

/// Refuses a file to write that is also read, or written twice.
fn refuse_shared_files(args: &SimulateArgs) -> Result<()> {
    let simulated = &args.simulated;
    let read = [&simulated.cluster, &simulated.workload, &args.policies.scheduler_config];
    let of_variants = args.variant.iter().flat_map(|variant| &variant.files);
    let of_variants = of_variants.chain(&args.policies.files);
    let mut used_paths: Vec<PathBuf> =
        read.into_iter().flatten().chain(of_variants).map(|path| resolve_path(path)).collect();
    for (flag, file) in simulated.files() {
        let Some(file) = file else { continue };
        let path = resolve_path(file);
        if used_paths.contains(&path) {
            let message = format!("{flag}: `{}` is used by another flag", file.display());
            return Err(Refusal::usage(message).help("name another file").into());
        }
        used_paths.push(path);
    }
    Ok(())
}

/// Refuses standard output, which has the report, as the file of events or of the series.
fn refuse_streams(args: &ClusterArgs) -> Result<()> {
    let is_stream = |path: &PathBuf| path.as_os_str() == "-";
    match args.files().into_iter().find(|(_, path)| path.as_ref().is_some_and(is_stream)) {
        Some((flag, _)) => {
            let refusal = Refusal::usage(format!("`{flag} -`: standard output has the report"));
            Err(refusal.help("name a file").into())
        }
        None => Ok(()),
    }
}
