//! The candidates of a completion, from a server or a file, sent one by one.

use super::request::{Candidates, CompletionRequest};
use crate::cli::{Globals, ServerFlags};
use crate::commands::explain;
use crate::commands::lookup::name_of;
use crate::commands::resource_args::ResourceKind;
use crate::commands::simulate::{paths_of_all_systems, paths_of_documents};
use crate::project::{PolicyScope, Project};
use clap::{Args, Command, FromArgMatches};
use client::config::{self, Auth, ConfigFile, Renewal};
use client::{Client, ClientError};
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::time::Duration;
use tokio::runtime::Builder;

/// Sends each candidate that fits, within the time limit. An error ends it silently.
pub(super) fn send(
    request: &CompletionRequest,
    definition: &Command,
    time_limit: Duration,
    names: &Sender<String>,
) {
    let has_rules = request.candidates == Candidates::Limits;
    let offer = |name: &str| {
        // The number of a rule is in brackets.
        let is_harmless = |name: &str| match name.split_once('[') {
            Some((start, end)) if has_rules => {
                is_harmless(start) && is_harmless(&end.replacen(']', "", 1))
            }
            _ => is_harmless(name),
        };
        let fits = name.starts_with(&request.prefix) && is_harmless(name);
        if fits && !request.names.iter().any(|known| known == name) {
            // The receiver may have stopped waiting.
            let _ = names.send(format!("{}{name}", request.word_start));
        }
    };
    let words: Vec<String> = match &request.candidates {
        Candidates::Kinds(kinds) => kinds.iter().map(|kind| kind.cli_name().to_owned()).collect(),
        Candidates::Topics => topics(&request.prefix, definition),
        Candidates::Contexts => contexts(request),
        Candidates::Limits => limits(request),
        Candidates::Words(words) => words.clone(),
        Candidates::Names(kind) => {
            let _ = offer_names(request, *kind, time_limit, offer);
            return;
        }
    };
    for word in words {
        offer(&word);
    }
}

/// Whether a name is safe on a command line: a shell may run parts of other names.
fn is_harmless(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || "-._/=,".contains(c)) && !name.starts_with('-')
}

/// The commands of `explain`, and the topics with one more part of the path than the prefix.
fn topics(prefix: &str, definition: &Command) -> Vec<String> {
    let is_next_step = |topic: &String| {
        topic.get(prefix.len()..).is_some_and(|rest| !rest.trim_start_matches('.').contains('.'))
    };
    let commands =
        definition.find_subcommand("explain").into_iter().flat_map(Command::get_subcommands);
    let commands = commands.filter(|command| !command.is_hide_set());
    let commands = commands.map(|command| command.get_name().to_owned());
    commands.chain(explain::topics().into_iter().filter(is_next_step)).collect()
}

/// The limits in the policies of the line, or those of all systems, each with the `=` before its values.
fn limits(request: &CompletionRequest) -> Vec<String> {
    let mut words = request.flags.iter();
    let mut files = Vec::new();
    while let Some(word) = words.next() {
        let after = ["-f", "--filename"].contains(&word.as_str()).then(|| words.next()).flatten();
        let joined = word.strip_prefix("--filename=").or_else(|| word.strip_prefix("-f"));
        files.extend(after.map(String::as_str).or(joined).map(PathBuf::from));
    }
    let mut paths = Vec::new();
    // Standard input is not read: it is the terminal.
    if !files.is_empty() && files.iter().all(|file| file.as_os_str() != "-") {
        let Project { documents, system, .. } = Project::read(&files, PolicyScope::OneSystem);
        paths = paths_of_documents(system, &documents);
    }
    if paths.is_empty() {
        paths = paths_of_all_systems();
    }
    paths.into_iter().map(|path| path + "=").collect()
}

/// The server flags of the line.
fn parse_server_flags(request: &CompletionRequest) -> Option<ServerFlags> {
    let command = Globals::augment_args(Command::new("armadactl"));
    let words = std::iter::once("armadactl".to_owned()).chain(server_flags(&request.flags));
    let matches = command.try_get_matches_from(words).ok()?;
    Some(Globals::from_arg_matches(&matches).ok()?.server)
}

/// The words of the server flags.
fn server_flags(words: &[String]) -> Vec<String> {
    const SERVER_FLAGS: [&str; 8] = [
        "-c",
        "--context",
        "--config",
        "--armada-rest-url",
        "--armadaUrl",
        "--request-timeout",
        "--ca-file",
        "--allow-insecure-auth",
    ];
    let mut found = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        if !SERVER_FLAGS.contains(&name) {
            continue;
        }
        found.push(word.clone());
        let value = words.next_if(|next| name == word && !next.starts_with('-'));
        found.extend(value.cloned());
    }
    found
}

fn contexts(request: &CompletionRequest) -> Vec<String> {
    let file = parse_server_flags(request)
        .and_then(|flags| ConfigFile::load(&flags.places()).ok().flatten());
    let Some(file) = file else { return Vec::new() };
    file.contexts().iter().filter_map(|context| context.name().map(str::to_owned)).collect()
}

/// Offers the names on the server of this line.
fn offer_names(
    request: &CompletionRequest,
    kind: ResourceKind,
    time_limit: Duration,
    mut offer: impl FnMut(&str),
) -> Option<()> {
    let flags = parse_server_flags(request)?;
    let mut connection = config::resolve(&flags.overrides(), &flags.places()).ok()?;
    // An interactive login would read from the terminal in which the user types.
    if matches!(&connection.auth, Auth::Exec(command) if command.interactive) {
        return None;
    }
    connection.timeout = connection.timeout.min(time_limit);
    connection.renewal = Renewal::Never;
    let client = Client::new(&connection, None).ok()?;
    let runtime = Builder::new_current_thread().enable_all().build().ok()?;
    runtime.block_on(offer_resources(&client, kind, &mut offer)).ok()
}

async fn offer_resources(
    client: &Client,
    kind: ResourceKind,
    offer: &mut impl FnMut(&str),
) -> Result<(), ClientError> {
    match kind {
        ResourceKind::Policy => {
            for name in client.policies().await?.iter().filter_map(name_of) {
                offer(&name);
            }
        }
        ResourceKind::Queue => {
            let mut queues = client.queues().await?;
            while let Some(queue) = queues.next().await? {
                if let Some(name) = name_of(&queue) {
                    offer(&name);
                }
            }
        }
    }
    Ok(())
}
