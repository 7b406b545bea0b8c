//! The connection to the server that flags, environment and config file name.
//!
//! A command connects only when it needs the server: commands that work offline open no config file, start no
//! runtime and read no certificate.

use crate::cli::{Context, Exit};
use crate::ui;
use anyhow::{Context as _, Result};
use client::config::{self, Connection, Overrides};
use client::{Client, ClientError, Stop};
use server::net::Signals;
use std::cell::OnceCell;
use std::future::Future;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// Requests at the same time for names on the command line. Few, since after a refusal that all of them share,
/// such as a missing permission, this many more may have been sent.
pub(super) const REQUESTS_AT_ONCE: usize = 8;
/// Writes at the same time for files. More than [`REQUESTS_AT_ONCE`], since files may have thousands of policies
/// and queues.
pub(super) const WRITES_AT_ONCE: usize = 16;

/// A client of a server, and the runtime that waits for it.
pub(super) struct ServerConnection {
    /// The server.
    pub client: Client,
    /// The context of the config file that names it, if one does.
    context: Option<String>,
    runtime: Runtime,
    stop: OnceCell<Stop>,
}

impl ServerConnection {
    /// Connects to the server of this command line, and prints the warnings of its configuration.
    pub fn new(context: &mut Context<'_>) -> Result<Self> {
        let connection = resolve_connection(context)?;
        let log = context.globals.server.verbose.then_some(ui::trace as fn(&str));
        let client = Client::new(&connection, log)?;
        let (context, runtime) = (connection.context, build_runtime()?);
        Ok(Self { client, context, runtime, stop: OnceCell::new() })
    }

    /// The context of the config file that names the server, if one does.
    pub fn context(&self) -> Option<&str> {
        self.context.as_deref()
    }

    /// Connects for a command that writes, or for its dry run. Address and context are printed before
    /// anything is sent: a wrong context is the mistake that costs most.
    pub fn for_writing(context: &mut Context<'_>) -> Result<Self> {
        let server = Self::new(context)?;
        context.ui.note(&format!("server {}", server.title()))?;
        Ok(server)
    }

    /// The address, and the context that names it: `https://HOST/api (context dev)`.
    pub fn title(&self) -> String {
        let name = self.context.as_ref().map(|name| format!(" (context {name})"));
        format!("{}{}", self.client.base(), name.unwrap_or_default())
    }

    /// Ignores interrupts from now on: the terminal sends them to the editor that this process waits for, too.
    pub fn ignore_interrupts(&self) -> Result<()> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let _within = self.runtime.enter();
            // Once a signal has a handler of tokio, it never ends the process again.
            for kind in [SignalKind::interrupt(), SignalKind::quit()] {
                drop(signal(kind).context("cannot wait for an editor")?);
            }
        }
        Ok(())
    }

    /// The stop request that SIGINT and SIGTERM set from now on, so that requests under way are finished
    /// and reported; a second signal ends the process.
    pub fn stop(&self) -> &Stop {
        self.stop.get_or_init(stop_at_signals)
    }

    /// Spawns a future, which runs whenever this process waits for the server.
    pub fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.runtime.spawn(future)
    }

    /// Waits for the end of a spawned future.
    pub fn join<T>(&self, task: JoinHandle<std::result::Result<T, ClientError>>) -> Result<T> {
        let end = self.runtime.block_on(task);
        // Nothing that is joined was cancelled: a task that gives no result has panicked.
        Ok(end.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?)
    }

    /// Waits for this time, or until a stop is requested.
    pub fn pause(&self, time: Duration) {
        self.runtime.block_on(async {
            tokio::select! {
                () = tokio::time::sleep(time) => {}
                () = self.stop().requested() => {}
            }
        });
    }

    /// Waits for the answer to a request.
    pub fn wait<T>(
        &self,
        future: impl Future<Output = std::result::Result<T, ClientError>>,
    ) -> Result<T> {
        Ok(self.runtime.block_on(future)?)
    }
}

/// Whether a later request may succeed.
pub(super) fn is_temporary(error: &ClientError) -> bool {
    use client::ClientErrorKind::{Busy, Server, TimedOut, Unreachable};
    matches!(error.kind, Busy | Server | TimedOut | Unreachable)
}

/// The connection that this command line names. The warnings of its configuration are printed.
pub(super) fn resolve_connection(context: &mut Context<'_>) -> Result<Connection> {
    let overrides = context.globals.server.overrides();
    resolve_with(context, &overrides)
}

/// The connection to another server than Armada's, at this address, with the credentials of the context.
pub(super) fn resolve_elsewhere(context: &mut Context<'_>, address: &str) -> Result<Connection> {
    let mut overrides = context.globals.server.overrides();
    overrides.addresses.rest_flag = Some(address.to_owned());
    resolve_with(context, &overrides)
}

fn resolve_with(context: &mut Context<'_>, overrides: &Overrides) -> Result<Connection> {
    let connection = config::resolve(overrides, &context.globals.server.places())?;
    for warning in &connection.warnings {
        context.ui.note(warning)?;
    }
    Ok(connection)
}

/// The runtime that waits for a server.
pub(super) fn build_runtime() -> Result<Runtime> {
    Builder::new_current_thread().enable_all().build().context("cannot wait for a server")
}

/// The stop request that SIGINT and SIGTERM set from now on; a second signal ends the process.
pub(super) fn stop_at_signals() -> Stop {
    let stop = Stop::default();
    // Without a handler the first signal ends the process, as it does before any work.
    let _ = stop_on_signals(&stop);
    stop
}

/// Listens on a thread of its own, so that a second signal is effective whatever the process does.
fn stop_on_signals(stop: &Stop) -> std::io::Result<()> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let mut signals = {
        let _within = runtime.enter();
        Signals::new()?
    };
    let stop = stop.clone();
    let listen = move || {
        runtime.block_on(async {
            loop {
                signals.next().await;
                if stop.request() {
                    std::process::exit(Exit::Interrupted.code().into());
                }
            }
        });
    };
    std::thread::Builder::new().spawn(listen).map(drop)
}
