//! `logout`: removes the token of the context.

use super::connection::{build_runtime, resolve_connection};
use super::login::sign_in_block;
use crate::cli::{Context, Exit};
use crate::ui;
use anyhow::Result;
use clap::Args;
use client::SignIn;

const EXAMPLES: &str = "\
Examples:
  # Sign out of the provider of the current context
  armadactl logout";

const EXITS: &str = "\
Exit codes:
    0  success, or there was no token
    2  invalid command line
    3  invalid configuration, or the token cannot be removed
  130  interrupted";

/// Remove the token of the context
///
/// Tokens of the same provider and client with other scopes are removed too. The provider is asked to
/// revoke them, if it offers that.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct LogoutArgs {}

/// Signs out.
pub fn run(context: &mut Context<'_>, _: &LogoutArgs) -> Result<Exit> {
    context.globals.output("logout", &[])?;
    let connection = resolve_connection(context)?;
    let Some(auth) = sign_in_block(&connection, context.ui)? else { return Ok(Exit::Done) };
    let log = context.globals.server.verbose.then_some(ui::trace as fn(&str));
    let sign_in = SignIn::new(&connection, auth, log)?;
    let end = build_runtime()?.block_on(sign_in.sign_out())?;
    let provider = sign_in.provider();
    context.ui.data(&if end.had_token {
        format!("signed out of {provider}\n")
    } else {
        format!("not signed in at {provider}\n")
    })?;
    match end.is_revoked {
        Ok(true) => {}
        Ok(false) => context.ui.note(NOT_REVOKED)?,
        Err(error) => {
            context.ui.note(&format!("warning: the token was not revoked: {}", error.message))?;
        }
    }
    Ok(Exit::Done)
}

const NOT_REVOKED: &str =
    "note: the provider does not revoke tokens; a copy of this one is valid until it expires";
