//! `--disruptions`: the file that replaces rows of the table of disruptions.

use crate::input;
use crate::project;
use crate::ui::Ui;
use anyhow::Result;
use clap::Args;
use document::Limits;
use document::diag::Findings;
use replay::disruption::{Disruptions, read_disruptions};
use std::path::PathBuf;

/// The flag.
#[derive(Debug, Clone, Default, Args)]
pub struct DisruptionArgs {
    /// Replace rows of the table of disruptions by those of this file
    ///
    /// It has the form that `armadactl explain disruptions -o yaml` prints, with the rows to be replaced.
    #[arg(long, value_name = "FILE")]
    pub disruptions: Option<PathBuf>,
}

impl DisruptionArgs {
    /// The table. Errors in the file stop the command.
    pub fn read(&self, ui: &mut Ui) -> Result<Disruptions> {
        let Some(path) = &self.disruptions else { return Ok(Disruptions::default()) };
        let mut findings = Findings::new();
        let source = input::read_text(path, Limits::POLICY, &mut findings);
        let table = source.and_then(|source| {
            let (table, more) = read_disruptions(&source);
            findings.extend(more);
            table
        });
        project::refuse_errors(ui, findings)?;
        Ok(table.unwrap_or_default())
    }
}
