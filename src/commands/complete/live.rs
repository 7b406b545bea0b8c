//! What the last word may become, from a server or a file, as it comes.

use super::super::explain;
use super::super::known::name_of;
use super::super::target::Kind;
use super::{Asked, BUDGET, Wanted, is_harmless};
use crate::cli::{Cli, ServerFlags};
use crate::client::{Client, ClientError};
use crate::config::{self, Auth, ConfigFile};
use clap::{Command, CommandFactory, Parser};
use std::sync::mpsc::Sender;
use tokio::runtime::Builder;

/// Sends each word that fits. What goes wrong ends it.
pub(super) fn send(asked: &Asked, names: &Sender<String>) {
    let offer = |name: &str| {
        let fits = name.starts_with(&asked.typed) && is_harmless(name);
        if fits && !asked.given.iter().any(|given| given == name) {
            // Whoever asked may not wait any longer.
            let _ = names.send(format!("{}{name}", asked.before));
        }
    };
    let words: Vec<String> = match &asked.wanted {
        Wanted::Kinds(kinds) => kinds.iter().map(|kind| kind.word().to_owned()).collect(),
        Wanted::Topics => topics(&asked.typed),
        Wanted::Contexts => contexts(asked),
        Wanted::Words(words) => words.clone(),
        Wanted::Names(kind) => {
            let _ = ask(asked, *kind, offer);
            return;
        }
    };
    for word in words {
        offer(&word);
    }
}

/// The commands of `explain`, and the topics that go one step further than what is typed.
fn topics(typed: &str) -> Vec<String> {
    let further = |topic: &String| {
        topic.get(typed.len()..).is_some_and(|rest| !rest.trim_start_matches('.').contains('.'))
    };
    let cli = Cli::command();
    let commands = cli.find_subcommand("explain").into_iter().flat_map(Command::get_subcommands);
    let commands = commands.filter(|command| !command.is_hide_set());
    let commands = commands.map(|command| command.get_name().to_owned());
    commands.chain(explain::topics().into_iter().filter(further)).collect()
}

/// The server's flags on the line.
fn flags(asked: &Asked) -> Option<ServerFlags> {
    let words = ["armadactl", "version"].into_iter().map(str::to_owned);
    Some(Cli::try_parse_from(words.chain(server_flags(&asked.flags))).ok()?.globals.server)
}

/// Those flags that say which server, and how.
fn server_flags(words: &[String]) -> Vec<String> {
    const OWN: [&str; 8] = [
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
        if !OWN.contains(&name) {
            continue;
        }
        found.push(word.clone());
        let value = words.next_if(|next| name == word && !next.starts_with('-'));
        found.extend(value.cloned());
    }
    found
}

fn contexts(asked: &Asked) -> Vec<String> {
    let file = flags(asked).and_then(|flags| ConfigFile::load(&flags.places()).ok().flatten());
    let Some(file) = file else { return Vec::new() };
    file.contexts().iter().filter_map(|context| context.name().map(str::to_owned)).collect()
}

/// Asks the server of this line.
fn ask(asked: &Asked, kind: Kind, mut offer: impl FnMut(&str)) -> Option<()> {
    let flags = flags(asked)?;
    let mut connection = config::resolve(&flags.overrides(), &flags.places()).ok()?;
    // It would talk to a person, who is busy typing.
    if matches!(&connection.auth, Auth::Exec(command) if command.interactive) {
        return None;
    }
    connection.timeout = connection.timeout.min(BUDGET);
    let client = Client::new(&connection, None).ok()?;
    let runtime = Builder::new_current_thread().enable_all().build().ok()?;
    runtime.block_on(list(&client, kind, &mut offer)).ok()
}

async fn list(
    client: &Client,
    kind: Kind,
    offer: &mut impl FnMut(&str),
) -> Result<(), ClientError> {
    match kind {
        Kind::Policy => {
            for name in client.policies().await?.iter().filter_map(name_of) {
                offer(&name);
            }
        }
        Kind::Queue => {
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
