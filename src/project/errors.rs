//! The end of a command whose files have errors.

use super::templates::name_templates;
use crate::cli::Refusal;
use crate::ui::Ui;
use anyhow::Result;
use document::diag::Findings;

/// Prints warnings; stops the command if there are errors.
pub fn refuse_errors(ui: &mut Ui, findings: Findings) -> Result<()> {
    // A template is an error, also where the rest of its text has warnings alone.
    let findings = name_templates(findings);
    if findings.has_errors() {
        return Err(Refusal::findings(findings.sorted()).into());
    }
    Ok(ui.diagnostics(&findings.sorted())?)
}
