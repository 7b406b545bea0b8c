//! `config get-contexts`, `current-context` and `use-context`.

use crate::cli::{Context, Exit, Output};
use crate::report::{self, ContextItem, ContextList, CurrentContext, Layout, Table, columns};
use anyhow::Result;
use client::config::{self, ConfigError, ConfigFile, current_context};
use document::diag::printable;

/// Lists the contexts.
pub(super) fn list(context: &mut Context<'_>) -> Result<Exit> {
    use Output::{Csv, Json, Name, Table, Wide, Yaml};
    let output = context.globals.output("config get-contexts", &[Table, Wide, Json, Yaml, Name])?;
    let file = load_file(context)?;
    let current = current_context(&context.globals.server.overrides(), Some(&file));
    // A missing current context is no error: the list shows which ones exist.
    let current = current.and_then(|name| file.context(&name).ok()?.name().map(str::to_owned));
    let items: Vec<ContextItem> =
        file.contexts().iter().map(|context| item(context, current.as_deref())).collect();
    let text = match output {
        Json => report::json(&ContextList::new(items)),
        Yaml => report::yaml(&ContextList::new(items))?,
        Name => lines(&items),
        Table | Wide | Csv => table(&items, &context.layout(output == Wide)),
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}

/// A name a line.
fn lines(items: &[ContextItem]) -> String {
    let names: Vec<_> = items.iter().map(|item| printable(&item.name)).collect();
    if names.is_empty() { String::new() } else { names.join("\n") + "\n" }
}

fn item(context: &config::Context<'_>, current: Option<&str>) -> ContextItem {
    let url = context.armada_rest_url().or_else(|| context.armada_url());
    ContextItem {
        name: context.name().unwrap_or_default().to_owned(),
        current: context.name() == current,
        address: url.map(|url| config::redact_address(&url)),
        // An invalid block is an error only when it is used.
        auth: context.auth().ok().and_then(|auth| auth.name()),
    }
}

fn table(items: &[ContextItem], layout: &Layout) -> String {
    let columns = columns![item in &ContextItem;
        "CURRENT" => if item.current { "*" } else { "" }.to_owned(),
        "NAME" => item.name.clone(),
        "ADDRESS" => item.address.clone().unwrap_or_default(),
        "AUTH" => item.auth.unwrap_or_default().to_owned(),
    ];
    Table::new(items, &columns).render(layout)
}

/// Prints the name of the context in use.
pub(super) fn current(context: &mut Context<'_>) -> Result<Exit> {
    use Output::{Json, Name, Table, Yaml};
    let output = context.globals.output("config current-context", &[Table, Json, Yaml, Name])?;
    let file = load_file(context)?;
    let name = current_name(context, &file)?;
    let text = match output {
        Json => report::json(&CurrentContext::new(name)),
        Yaml => report::yaml(&CurrentContext::new(name))?,
        _ => format!("{}\n", printable(&name)),
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}

fn current_name(context: &Context<'_>, file: &ConfigFile) -> Result<String, ConfigError> {
    let name = current_context(&context.globals.server.overrides(), Some(file))
        .ok_or_else(|| ConfigError::NoContext { path: file.path().to_owned() })?;
    Ok(file.context(&name)?.name().unwrap_or(&name).to_owned())
}

/// Ignores signals from now on, so that a write of the file is completed and leaves no temporary copy.
/// It takes milliseconds, and the command ends after it.
fn ignore_signals() -> Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let _within = runtime.enter();
        for kind in [SignalKind::hangup(), SignalKind::interrupt(), SignalKind::terminate()] {
            // Once a signal is waited for, it never ends the process again.
            drop(signal(kind)?);
        }
    }
    Ok(runtime)
}

/// Changes the context in use, in the file.
pub(super) fn select(context: &mut Context<'_>, name: &str) -> Result<Exit> {
    use Output::{Json, Name, Table, Yaml};
    let output = context.globals.output("config use-context", &[Table, Json, Yaml, Name])?;
    let file = load_file(context)?;
    let signals = ignore_signals()?;
    let name = file.use_context(name)?;
    drop(signals);
    let text = match output {
        Json => report::json(&CurrentContext::new(name.clone())),
        Yaml => report::yaml(&CurrentContext::new(name.clone()))?,
        Name => format!("{}\n", printable(&name)),
        _ => format!("switched to context `{}`\n", printable(&name)),
    };
    context.ui.data(&text)?;
    let now = current_name(context, &ConfigFile::require(&context.globals.server.places())?)?;
    if now != name {
        let note = "note: a flag or an environment variable still selects";
        context.ui.note(&format!("{note} `{now}`"))?;
    }
    Ok(Exit::Done)
}

/// Loads the config file, which has to exist, and prints its warning.
pub(super) fn load_file(context: &mut Context<'_>) -> Result<ConfigFile> {
    let file = ConfigFile::require(&context.globals.server.places())?;
    if let Some(warning) = file.warning() {
        context.ui.note(&warning)?;
    }
    Ok(file)
}
