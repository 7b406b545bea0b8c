//! `whoami`: prints the user of the context, as the server knows it.

use super::connection::ServerConnection;
use super::login::validity;
use crate::cli::{Context, Exit, Output};
use crate::report::{self, WhoAmI};
use anyhow::Result;
use clap::Args;
use document::diag::printable;

const EXAMPLES: &str = "\
Examples:
  # Print the user of the current context
  armadactl whoami";

const EXITS: &str = "\
Exit codes:
    0  the server accepts the credentials
    2  invalid command line
    3  invalid configuration
    4  not signed in, or not accepted
    7  server unreachable or too slow, or an invalid answer
  130  interrupted";

/// Print who you are on the server, and whether it accepts you
///
/// The user is the one of the token or of `basicAuth`. A request to the server checks that it accepts the
/// credentials.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct WhoamiArgs {}

/// Prints the user.
pub fn run(context: &mut Context<'_>, _: &WhoamiArgs) -> Result<Exit> {
    let output = context.globals.output("whoami", &[Output::Table, Output::Json, Output::Yaml])?;
    let server = ServerConnection::new(context)?;
    // In this order: the server may refuse a token, which is then replaced.
    server.wait(server.client.authenticate())?;
    let identity = server.wait(server.client.identity())?;
    let who = WhoAmI::new(&server.client, server.context(), &identity);
    let text = match output {
        Output::Json => report::json(&who),
        Output::Yaml => report::yaml(&who)?,
        _ => {
            let user = identity.user.as_deref().map_or_else(|| unknown(&who), printable_text);
            let expiry = identity.expires.map(|time| validity(time, identity.is_renewable));
            let expiry = expiry.map(|text| format!(", {text}")).unwrap_or_default();
            let by = who.auth.map(|block| format!("by `{block}`{expiry}\n")).unwrap_or_default();
            format!("{user} at {}\n{by}", server.title())
        }
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}

fn printable_text(user: &str) -> String {
    printable(user).into_owned()
}

fn unknown(who: &WhoAmI) -> String {
    let name =
        if who.auth.is_some() { "a user whose name the token does not tell" } else { "anonymous" };
    name.to_owned()
}
