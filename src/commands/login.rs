//! `login`: signs in as the context says.

use super::connection::{build_runtime, resolve_connection};
use crate::cli::{Context, Exit, Refusal};
use crate::ui::{self, Ui};
use anyhow::Result;
use clap::Args;
use client::config::{Auth, Connection, Grant, OpenIdAuth};
use client::{Prompt, SignIn, Token};
use document::diag::printable;
use jiff::Timestamp;
use std::cell::RefCell;
use std::io::IsTerminal;

const EXAMPLES: &str = "\
Examples:
  # Sign in for the current context
  armadactl login

  # Sign in for the context `dev`, and open the browser yourself
  armadactl login --context dev --no-browser";

const EXITS: &str = "\
Exit codes:
    0  success, or a context that needs no sign-in
    2  invalid command line, or a provider that is not encrypted or does not offer this way
    3  invalid configuration, or a token that cannot be kept
    4  the provider or the person refused
    7  provider unreachable or too slow, or an invalid answer
  130  interrupted

Files:
  armadactl/tokens/, in your cache directory, such as ~/.cache  the tokens, which only you can read";

/// Sign in to the server of the current context
///
/// The context of the config file names an OpenID Connect provider and a way to sign in: `openIdAuth`
/// (a browser on this machine), `openIdDeviceAuth` (a browser on any machine, and a code),
/// `openIdPasswordAuth` or `openIdClientCredentialsAuth`. The token is kept in your cache directory until it
/// expires, and is renewed if the provider has sent a refresh token. No other command waits for a person:
/// without a token it ends with exit code 4.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct LoginArgs {
    /// Print the address, and do not open a browser
    #[arg(long)]
    no_browser: bool,
}

/// Signs in.
pub fn run(context: &mut Context<'_>, args: &LoginArgs) -> Result<Exit> {
    context.globals.output("login", &[])?;
    let connection = resolve_connection(context)?;
    let Some(auth) = sign_in_block(&connection, context.ui)? else { return Ok(Exit::Done) };
    let log = context.globals.server.verbose.then_some(ui::trace as fn(&str));
    let sign_in = SignIn::new(&connection, auth, log)?;
    let ui = RefCell::new(&mut *context.ui);
    let show = |prompt: Prompt<'_>| {
        // A person who sees nothing ends the command.
        let _ = show_prompt(&mut ui.borrow_mut(), prompt, args.no_browser);
    };
    let token: Token = build_runtime()?.block_on(sign_in.sign_in(&show))?;
    let user = token.user.as_ref().map(|user| format!(" as {}", printable(user)));
    let line = format!("signed in at {}{}", sign_in.provider(), user.unwrap_or_default());
    let is_renewable = sign_in.is_renewable(&token);
    context.ui.data(&format!("{line} {}\n", validity(token.expires, is_renewable)))?;
    if !is_renewable && auth.keeps_refresh_token {
        context.ui.note(NOT_RENEWABLE)?;
    }
    Ok(Exit::Done)
}

const NOT_RENEWABLE: &str = "note: the provider sent no refresh token, so you have to sign in again then; most \
                             providers send one for the scope `offline_access`";

/// The block of a context with which a user signs in; `None`, with a line, if its credentials need no sign-in.
pub(super) fn sign_in_block<'c>(
    connection: &'c Connection,
    ui: &mut Ui,
) -> Result<Option<&'c OpenIdAuth>> {
    match &connection.auth {
        // The token of a pod is not kept: others with other rights may share the directory.
        Auth::OpenId(auth) if !matches!(auth.grant, Grant::Kubernetes) => Ok(Some(auth)),
        Auth::Anonymous => {
            let message = "the context has no credentials, so there is nothing to sign in to";
            let help = "add `openIdAuth` or another block to the context in the config file";
            Err(Refusal::input(message).help(help).into())
        }
        auth => {
            let block = auth.name().unwrap_or_default();
            ui.data(&format!("the context has `{block}`, which needs no sign-in\n"))?;
            Ok(None)
        }
    }
}

/// The time until which a token is valid.
pub(super) fn validity(expires: Timestamp, is_renewable: bool) -> String {
    // Fractions of a second tell a person nothing.
    let expires = Timestamp::from_second(expires.as_second()).unwrap_or(expires);
    let then = if is_renewable { ", then renewed without you" } else { "" };
    format!("until {expires}{then}")
}

/// Tells a person what to do, and opens the browser. Nothing is printed to stdout, which may be a pipe.
fn show_prompt(ui: &mut Ui, prompt: Prompt<'_>, no_browser: bool) -> std::io::Result<()> {
    let (request, address, opened) = match prompt {
        Prompt::Browser { address } => {
            ("Sign in at this address, in a browser on this machine:".to_owned(), address, address)
        }
        Prompt::Device { address, code, complete } => {
            let request = format!("Enter the code {code} at this address, on any machine:");
            (request, address, complete.unwrap_or(address))
        }
    };
    ui.prompt(&format!("{request}\n\n    {address}\n"))?;
    if !no_browser && std::io::stderr().is_terminal() && opener::open_browser(opened).is_ok() {
        ui.prompt("A browser should open now.")?;
    }
    Ok(())
}
