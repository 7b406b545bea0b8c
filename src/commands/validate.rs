//! `validate`: is it a policy?

use super::{Context, load};
use crate::cli::{Exit, Output};
use crate::diag::{DiagnosticItem, Findings, Tally};
use crate::history::{GraceBounds, OnBadRecord, Reader};
use crate::policy::{self, SchedulerSettings};
use crate::report::{self, ValidateReport, ValidateSummary};
use crate::ui::ErrorFormat;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// Check documents and report every mistake with its place
///
/// RetryPolicy, Queue and `FailureHistory` documents are checked, offline, all mistakes of all files
/// in one run. For `v1beta1` it refuses everything that Armada's server refuses.
///
/// Exits 3 if a document has an error; warnings alone exit 0.
#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// Check these files or directories (`-` for stdin)
    #[arg(short = 'f', long = "filename", required = true, num_args = 1.., value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Checks the files and prints the findings.
pub fn run(context: &mut Context<'_>, args: &ValidateArgs) -> Result<Exit> {
    let output =
        context.globals.output("validate", &[Output::Table, Output::Json, Output::Yaml])?;
    let mut findings = Findings::new();
    let sources = load::sources(&args.files, &mut findings);
    let (documents, more) = policy::read(&sources);
    findings.extend(more);
    let bounds = GraceBounds::from(&SchedulerSettings::default());
    for other in &documents.others {
        let mut reader = Reader::new(bounds, OnBadRecord::ErrorToTheEnd);
        reader.document(&other.document);
        findings.extend(reader.finish().1);
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
