//! Prints the error that ends a command.

use super::{Exit, Globals, Output, OutputArg, Refusal};
use crate::ui::Ui;
use document::diag::printable;

/// Prints the error that ended a command: its findings, or its message with its help.
pub(crate) fn print_error(error: &anyhow::Error, globals: &Globals, ui: &mut Ui) -> Exit {
    if is_broken_pipe(error) {
        return Exit::Done;
    }
    let refusal = &Refusal::from(error);
    // If these cannot be printed, nothing else can be.
    let _ = match refusal.findings.as_slice() {
        [] => ui.error(&refusal.message, refusal.help.as_deref()),
        findings => ui.diagnostics(findings).and_then(|()| match &refusal.help {
            _ if refusal.is_summary => ui.error(&refusal.message, refusal.help.as_deref()),
            Some(help) => ui.note(&format!("help: {}", printable(help))),
            None => Ok(()),
        }),
    };
    if globals.output == Some(OutputArg::Known(Output::Json)) {
        let text = refusal.json(ui.has_json_lines());
        let _ = ui.data(&text);
    }
    let _ = ui.flush();
    refusal.exit
}

/// Whether a command ended since its output was closed, as in `armadactl .. | head`.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
