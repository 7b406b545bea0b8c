//! `explain decision --executor-config`: what the executor reports about the failure, before policies are consulted.

use crate::cli::{Context, Refusal};
use crate::project::ExecutorFiles;
use crate::report::{FailureClassification, category_name};
use anyhow::Result;
use armada_retry::engine::Outcome;
use replay::history::RunRecord;
use systems::armada::classifier::{ClassifierMemory, EmittedAs, Executors};

/// Gives a failure the category that the executor of its cluster reports, or makes it a returned lease; returns what is
/// reported. `None` without a configuration, and if the failure has a category, which it keeps.
pub(super) fn classify(
    context: &mut Context<'_>,
    (all, executors): (&[ExecutorFiles], Option<&Executors>),
    run: &mut RunRecord,
) -> Result<Option<FailureClassification>> {
    let Some(executors) = executors else { return Ok(None) };
    if run.own.outcome != Outcome::Failed {
        let outcome = run.own.outcome.as_str();
        let message = format!("note: the executor does not classify runs of outcome {outcome}");
        context.ui.note(&message)?;
        return Ok(None);
    }
    let executor =
        executors.of_cluster(run.cluster.as_deref()).ok_or_else(|| refuse_cluster(all, run))?;
    let mut memory = ClassifierMemory::default();
    let report = executor.report_run(&run.own, &mut memory);
    let Some(emission) = &report.emission else { return Ok(None) };
    let found = emission.classification;
    if !run.own.category.is_empty() {
        let name = category_name(found.category, found.subcategory);
        let message = format!("note: the failure keeps its category; the executor reports {name}");
        context.ui.note(&message)?;
        return Ok(None);
    }
    run.own.category = found.category.into();
    run.own.subcategory = found.subcategory.into();
    if matches!(emission.kind, EmittedAs::LeaseReturned { .. }) {
        run.own.outcome = Outcome::LeaseReturned;
    }
    Ok(Some(FailureClassification::new(&report, emission)))
}

/// The error of a failure on a cluster without a configuration.
fn refuse_cluster(all: &[ExecutorFiles], run: &RunRecord) -> Refusal {
    let message = match run.cluster.as_deref() {
        Some(cluster) => format!("no --executor-config is for cluster `{cluster}`"),
        None => "the failure has no cluster, but every --executor-config is for one".to_owned(),
    };
    let names: Vec<&str> = all.iter().filter_map(|files| files.cluster.as_deref()).collect();
    let help = format!("write `--failure cluster=NAME`, with one of {}", names.join(", "));
    Refusal::usage(message).help(help)
}
