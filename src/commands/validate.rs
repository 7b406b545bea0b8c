//! `validate`: is it a policy?

use super::systems::{self, SystemArgs, Whose};
use super::{Context, load};
use crate::cli::{Exit, Output};
use crate::diag::{DiagnosticItem, Findings, Tally};
use crate::history::{GraceBounds, MemberReader, OnBadRecord, Reader};
use crate::policy::{self, Documents, Other, SchedulerSettings};
use crate::report::{self, ValidateReport, ValidateSummary};
use crate::systems::{MANIFESTS, System, job::JobEngine, jobset::JobSetEngine};
use crate::ui::ErrorFormat;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// Check documents and report every mistake with its place
///
/// RetryPolicy, Queue and `FailureHistory` documents are checked, offline, all mistakes of all files
/// in one run. For `v1beta1` it refuses everything that Armada's server refuses. Of JobSets and Jobs
/// the failure policies are checked, for which it refuses what their API servers refuse; histories
/// beside them are checked as theirs.
///
/// Exits 3 if a document has an error; warnings alone exit 0.
#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// Check these files or directories (`-` for stdin)
    #[arg(short = 'f', long = "filename", required = true, num_args = 1.., value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    systems: SystemArgs,
}

/// Checks the files and prints the findings.
pub fn run(context: &mut Context<'_>, args: &ValidateArgs) -> Result<Exit> {
    let output =
        context.globals.output("validate", &[Output::Table, Output::Json, Output::Yaml])?;
    let mut findings = Findings::new();
    let sources = load::sources(&args.files, &mut findings);
    let (documents, more) = policy::read_among(&sources, MANIFESTS);
    findings.extend(more);
    let options = args.systems.options();
    systems::read::<JobEngine>(&documents, &options, &mut findings);
    systems::read::<JobSetEngine>(&documents, &options, &mut findings);
    for other in &documents.others {
        if Whose::of_kind(other.kind).is_none() {
            findings.extend(history(&documents, other));
        }
    }
    let items = findings.sorted();
    let tally = Tally::of(&items);
    let summary = ValidateSummary {
        files: sources.len(),
        documents: documents.seen,
        errors: tally.errors,
        warnings: tally.warnings,
    };
    match output {
        Output::Json | Output::Yaml => {
            let report =
                ValidateReport::new(items.iter().map(DiagnosticItem::from).collect(), summary);
            let text =
                if output == Output::Json { report::json(&report) } else { report::yaml(&report)? };
            context.ui.data(&text)?;
        }
        Output::Table | Output::Wide | Output::Name => {
            context.ui.findings(&items)?;
            // A line of words would not be JSON.
            let json = context.globals.error_format == Some(ErrorFormat::Json);
            if !context.globals.quiet && !json {
                context.ui.data(&format!("{summary}\n"))?;
            }
        }
    }
    Ok(if tally.errors > 0 { Exit::Input } else { Exit::Done })
}

/// What is wrong with a history: one of the only system whose policies stand beside it.
fn history(documents: &Documents, other: &Other) -> Findings {
    let kinds = documents.others.iter().filter_map(|other| Whose::of_kind(other.kind));
    let mut whose: Vec<Whose> = kinds.collect();
    whose.dedup();
    match whose.as_slice() {
        [Whose::Job] if documents.policies.is_empty() => members::<JobEngine>(other),
        [Whose::JobSet] if documents.policies.is_empty() => members::<JobSetEngine>(other),
        _ => {
            let bounds = GraceBounds::from(&SchedulerSettings::default());
            let mut reader = Reader::new(bounds, OnBadRecord::ErrorToTheEnd);
            reader.document(&other.document);
            reader.finish().1
        }
    }
}

fn members<S: System>(other: &Other) -> Findings {
    let mut reader = MemberReader::<S::Own>::new(OnBadRecord::ErrorToTheEnd);
    reader.document(&other.document);
    reader.finish().1
}
