//! `config view`.

use super::super::Context;
use super::file;
use crate::cli::{Exit, Output};
use crate::config::redacted;
use crate::report::{self, ConfigView};
use anyhow::Result;

/// Prints the config file without its secrets, as YAML if nothing else is asked for.
pub(super) fn run(context: &mut Context<'_>) -> Result<Exit> {
    use Output::{Json, Table, Yaml};
    let output = context.globals.output("config view", &[Table, Json, Yaml])?;
    let file = file(context)?;
    let shown = redacted(&file);
    let text = match output {
        Json => report::json(&ConfigView::new(&file.path().display().to_string(), shown)),
        _ => report::yaml(&shown)?,
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}
