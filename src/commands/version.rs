//! `version`: prints the version, and the state of the server.

use super::connection::ServerConnection;
use crate::cli::{Context, Exit, Output};
use crate::report::{self, ServerReport, VersionReport};
use anyhow::Result;
use clap::Args;
use document::lookup;
use std::collections::BTreeMap;
use systems::{SystemName, profiles};

const EXAMPLES: &str = "\
Examples:
  # Print the version
  armadactl version

  # Check the server, and print which form of policies it accepts
  armadactl version --server";

const EXITS: &str = "\
Exit codes:
    0  success
    2  invalid command line
    3  invalid configuration
    4  not authenticated, or not permitted (with --server)
    7  server unreachable or too slow, or an invalid answer
  130  interrupted";

/// Print the version
///
/// No request is sent without `--server`.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct VersionArgs {
    /// Check the health of the server, and which form of policies it accepts
    #[arg(long)]
    server: bool,
}

/// Prints the version.
pub fn run(context: &mut Context<'_>, args: &VersionArgs) -> Result<Exit> {
    let output = context.globals.output("version", &[Output::Table, Output::Json, Output::Yaml])?;
    let server = if args.server { Some(check_server(context)?) } else { None };
    let report = VersionReport::new(engines(), profile_names()).of(server);
    let text = match output {
        Output::Json => report::json(&report),
        Output::Yaml => report::yaml(&report)?,
        _ => plain(&report),
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}

/// The names of the engines.
fn engines() -> Vec<&'static str> {
    SystemName::all().flat_map(|system| system.description().engines).copied().collect()
}

/// The profiles of each system of a RetryProfile.
fn profile_names() -> BTreeMap<&'static str, Vec<&'static str>> {
    let names = |shape| {
        let page = lookup(shape, &["spec", "profile"]).ok();
        page.into_iter().flat_map(|page| page.values).map(|(name, _)| name).collect()
    };
    profiles().map(|profile| (profile.system, names(profile.shape))).collect()
}

fn check_server(context: &mut Context<'_>) -> Result<ServerReport> {
    let server = ServerConnection::new(context)?;
    let client = &server.client;
    server.wait(client.health())?;
    server.wait(client.authenticate())?;
    let form = server.wait(client.form())?;
    Ok(ServerReport { url: client.base().to_string(), healthy: true, form: form.as_str() })
}

fn plain(report: &VersionReport) -> String {
    let mut text = format!("armadactl {}", report.version);
    if let Some(commit) = report.commit {
        let date = report.commit_date.map(|date| format!(", {date}")).unwrap_or_default();
        text += &format!(" ({commit}{date})");
    }
    text.push('\n');
    if let Some(ServerReport { url, form, .. }) = &report.server {
        text += &format!("server {url}: healthy, takes the {form} form of policies\n");
    }
    text
}
