//! `serve`: the embedded server.

use super::flag_values::{positive_duration, whole_number};
use crate::cli::{Context, Exit, Output, Refusal};
use crate::ui::Ui;
use anyhow::Result;
use clap::Args;
use client::config::SmallFile;
use document::units::{GoDuration, Quantity};
use server::Api;
use server::access::{Access, Hosts, Token};
use server::dialect::{Dialect, WireForm};
use server::net::{Event, Limits, Server, events};
use server::store::{Store, StoreLocation};
use server::wire::Strictness;
use std::fs::DirBuilder;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  # Run a server on a free port, without a file
  armadactl serve --listen 127.0.0.1:0 --db :memory:

  # Run a server on port 8080
  armadactl serve

  # Send requests to it
  armadactl apply -f policy.yaml --armada-rest-url http://127.0.0.1:8080";

const EXITS: &str = "\
Exit codes:
  0  ended by SIGINT or SIGTERM
  2  invalid command line
  3  invalid input, such as an address in use

Files:
  armadactl/serve.db  the database, in the user's data directory";

/// Run a server for development and tests
///
/// It implements Armada's REST API for retry policies and queues on a SQLite file. It is not for
/// production, and schedules no jobs. The first line on stdout is the address; each request is a
/// line on stderr. After SIGINT or SIGTERM it answers the requests in progress and exits 0.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct ServeArgs {
    /// Listen on this address; port 0 selects a free port
    ///
    /// An address that is not on the loopback interface needs --auth-token-file.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8080")]
    listen: String,
    /// Store policies and queues in this SQLite file
    ///
    /// It is created if it does not exist. `:memory:` stores them in memory. Default:
    /// armadactl/serve.db in the user's data directory.
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    /// Accept the fields of `v1` policies too
    ///
    /// Today's servers accept categories only. With this flag a policy may have every field of the
    /// `v1` form.
    #[arg(long)]
    full_api: bool,
    /// Refuse requests with errors that Armada ignores
    ///
    /// These are: unknown fields, keys in another case or given twice, an empty body, bytes after
    /// the JSON, a name in the body that is not the path's, queue names that a path cannot carry, a
    /// policy named twice on a queue, creating what exists (409), and updating or deleting what does
    /// not exist (404).
    #[arg(long)]
    strict: bool,
    /// Refuse requests without the token in this file
    ///
    /// The header is `Authorization: Bearer TOKEN`. /health needs no token.
    #[arg(long, value_name = "FILE")]
    auth_token_file: Option<PathBuf>,
    /// Accept requests for this host name too
    ///
    /// Without a token the header Host must be localhost, a name below it, a loopback address or the
    /// host of --listen. This protects against web pages whose host name resolves to this machine.
    #[arg(long, value_name = "NAME", conflicts_with = "auth_token_file")]
    allowed_host: Vec<String>,
    /// Refuse request bodies of more bytes than this
    #[arg(long, value_name = "BYTES", default_value = "4Mi", value_parser = bytes)]
    max_body: u64,
    /// Close a connection if a request or response takes longer than this
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = positive_duration)]
    max_time: GoDuration,
    /// Serve at most this many connections at a time; further ones wait
    ///
    /// A connection counts once it has sent something. 512 more are open, silent or waiting; beyond
    /// that the oldest silent one is closed for a new one.
    #[arg(long, value_name = "N", default_value_t = 256, allow_negative_numbers = true)]
    #[arg(value_parser = whole_number(1..=u16::MAX))]
    max_connections: u16,
}

/// Limit of a token file in bytes: the longest token, and white space.
const MAX_TOKEN_FILE: usize = 8 << 10;

/// Serves until a signal stops it.
pub fn run(context: &mut Context<'_>, args: &ServeArgs) -> Result<Exit> {
    context.globals.output("serve", &[Output::Table])?;
    let addresses = addresses(&args.listen)?;
    let access = access(context.ui, args)?;
    check_exposure(context.ui, args, &addresses, &access)?;
    let place = place(args.db.as_deref())?;
    let store = Store::open(&place)
        .map_err(|error| Refusal::input(error.to_string()).help(error.help()))?;
    if let StoreLocation::File(path) = &place {
        warn_if_readable(context.ui, path)?;
    }
    let form = if args.full_api { WireForm::Full } else { WireForm::Deployed };
    let strictness = if args.strict { Strictness::Strict } else { Strictness::AsArmada };
    let api = Api { store, dialect: Dialect { form, strictness }, access };
    let limits = Limits {
        body: args.max_body,
        time: args.max_time.to_std(),
        connections: usize::from(args.max_connections),
    };
    let server = Server::bind(&addresses, api, limits).map_err(|error| {
        Refusal::input(format!("cannot listen on `{}`: {error}", args.listen))
            .help("give another `--listen HOST:PORT`; port 0 picks a free port")
    })?;
    let (log, received) = events();
    let thread = std::thread::spawn(move || server.run(log));
    for event in received {
        print(context.ui, &event, &place)?;
    }
    match thread.join() {
        Ok(result) => result?,
        Err(_) => return Err(Refusal::input("the server failed").into()),
    }
    Ok(Exit::Done)
}

fn print(ui: &mut Ui, event: &Event, place: &StoreLocation) -> Result<()> {
    match event {
        Event::Listening(address) => {
            ui.data(&format!("listening on http://{address}\n"))?;
            ui.flush()?;
            let kept = match place {
                StoreLocation::Memory => "kept in memory only".to_owned(),
                StoreLocation::File(path) => format!("kept in {}", path.display()),
            };
            _ = ui.note(&format!("for development and tests, not for production; {kept}"));
        }
        // The server goes on if stderr is closed.
        Event::Line(line) => _ = ui.note(line),
    }
    Ok(())
}

fn addresses(listen: &str) -> Result<Vec<SocketAddr>, Refusal> {
    let help = "write HOST:PORT, such as `127.0.0.1:8080` or `localhost:0`";
    let refused = |why: String| Refusal::usage(why).help(help);
    if listen.starts_with(':') || !listen.contains(':') {
        return Err(refused(format!("invalid `--listen {listen}`: not of the form HOST:PORT")));
    }
    let found = listen
        .to_socket_addrs()
        .map_err(|error| refused(format!("invalid address `--listen {listen}`: {error}")))?;
    Ok(found.collect())
}

fn access(ui: &mut Ui, args: &ServeArgs) -> Result<Access> {
    let Some(path) = &args.auth_token_file else { return Ok(Access::Local(hosts(args))) };
    let shown = path.display();
    let text = SmallFile::read(path, MAX_TOKEN_FILE).and_then(SmallFile::text);
    let text = text.map_err(|error| {
        Refusal::input(format!("cannot read the token file `{shown}`: {error}"))
    })?;
    let token = Token::new(&text).map_err(|error| {
        Refusal::input(format!("invalid token in `{shown}`: {error}"))
            .help("create one: `head -c 32 /dev/urandom | base64 > FILE`")
    })?;
    warn_if_readable(ui, path)?;
    Ok(Access::Token(token))
}

/// The host of `--listen` and those of `--allowed-host`.
fn hosts(args: &ServeArgs) -> Hosts {
    // The last colon: an IPv6 address in brackets has others.
    let listen = args.listen.rsplit_once(':').map_or("", |(host, _)| host);
    let listen = listen.trim_start_matches('[').trim_end_matches(']').to_owned();
    Hosts::new(args.allowed_host.iter().cloned().chain([listen]))
}

fn warn_if_readable(ui: &mut Ui, path: &Path) -> Result<()> {
    if others_can_read(path) {
        ui.note(&format!("warning: others can read `{}`: `chmod 600` it", path.display()))?;
    }
    Ok(())
}

#[cfg(unix)]
fn others_can_read(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn others_can_read(_: &Path) -> bool {
    false
}

/// Refuses an address that others can reach, unless they need the token.
fn check_exposure(
    ui: &mut Ui,
    args: &ServeArgs,
    addresses: &[SocketAddr],
    access: &Access,
) -> Result<()> {
    if addresses.iter().all(|address| address.ip().is_loopback()) {
        return Ok(());
    }
    let listen = &args.listen;
    if matches!(access, Access::Local(_)) {
        return Err(Refusal::usage(format!(
            "`--listen {listen}` lets anyone who can reach this machine read, change and delete every policy \
             and queue"
        ))
        .help("add `--auth-token-file FILE`, or listen on 127.0.0.1")
        .into());
    }
    ui.note(&format!(
        "warning: other machines can reach `{listen}`: policies, queues and the token cross the network unencrypted"
    ))?;
    Ok(())
}

fn place(db: Option<&Path>) -> Result<StoreLocation, Refusal> {
    match db {
        Some(path) if path == Path::new(":memory:") => Ok(StoreLocation::Memory),
        Some(path) => Ok(StoreLocation::File(path.to_owned())),
        None => {
            let folder = dirs::data_dir().ok_or_else(|| {
                Refusal::usage("this user has no data directory").help("give `--db FILE`")
            })?;
            let folder = folder.join("armadactl");
            // Only the default folder is created: a missing one in `--db` is likely a typing error.
            let mut builder = DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.recursive(true).create(&folder).map_err(|error| {
                let message =
                    format!("cannot create the directory `{}`: {error}", folder.display());
                Refusal::input(message).help("give `--db FILE`")
            })?;
            Ok(StoreLocation::File(folder.join("serve.db")))
        }
    }
}

fn bytes(text: &str) -> Result<u64, String> {
    let quantity = Quantity::parse(text).map_err(|error| format!("{error}; {}", error.help()))?;
    if quantity.is_positive() { Ok(quantity.ceil()) } else { Err("it must be positive".into()) }
}
