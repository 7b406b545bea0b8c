//! The config file of the `config` commands.

use crate::cli::Context;
use anyhow::Result;
use client::config::ConfigFile;

/// Loads the config file, which has to exist, and prints its warning.
pub(super) fn load_file(context: &mut Context<'_>) -> Result<ConfigFile> {
    let file = ConfigFile::require(&context.globals.server.places())?;
    if let Some(warning) = file.warning() {
        context.ui.note(&warning)?;
    }
    Ok(file)
}
