//! `version`.

use super::Context;
use crate::cli::{Exit, Output};
use crate::report::{self, VersionReport};
use anyhow::Result;
use clap::Args;

/// Print the version
///
/// Nothing is asked of any server.
#[derive(Debug, Args)]
pub struct VersionArgs {}

/// Prints the version.
pub fn run(context: &mut Context<'_>, _: &VersionArgs) -> Result<Exit> {
    let report = VersionReport::current();
    let text =
        match context.globals.output("version", &[Output::Table, Output::Json, Output::Yaml])? {
            Output::Json => report::json(&report),
            Output::Yaml => report::yaml(&report)?,
            _ => format!("armadactl {}\n", report.version),
        };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}
