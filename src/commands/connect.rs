//! A server, as the flags, the environment and the config file say, and the waiting for it.
//!
//! Nothing of it is made before a command needs it: what works offline opens no config file,
//! starts no runtime and reads no certificate.

use super::Context;
use crate::cli::Exit;
use crate::client::{Client, ClientError, Stop};
use crate::config;
use crate::server::net::Signals;
use crate::ui;
use anyhow::{Context as _, Result};
use std::cell::OnceCell;
use std::future::Future;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// A server that can be asked.
pub(super) struct Connected {
    /// The server.
    pub client: Client,
    /// The context of the config file that names it, if one does.
    context: Option<String>,
    runtime: Runtime,
    stop: OnceCell<Stop>,
}

impl Connected {
    /// The server of this command line. What the user should know of the configuration is said.
    pub fn new(context: &mut Context<'_>) -> Result<Self> {
        let server = &context.globals.server;
        let connection = config::resolve(&server.overrides(), &server.places())?;
        for warning in &connection.warnings {
            context.ui.note(warning)?;
        }
        let log = server.verbose.then_some(ui::trace as fn(&str));
        let client = Client::new(&connection, log)?;
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .context("cannot wait for a server")?;
        Ok(Self { client, context: connection.context, runtime, stop: OnceCell::new() })
    }

    /// The server of a command line that writes, or tries out a write. Its address and its context are
    /// printed before anything is sent: a wrong context is the mistake that costs most.
    pub fn for_writing(context: &mut Context<'_>) -> Result<Self> {
        let server = Self::new(context)?;
        let name = server.context.as_ref().map(|name| format!(" (context {name})"));
        let line = format!("server {}{}", server.client.base(), name.unwrap_or_default());
        context.ui.note(&line)?;
        Ok(server)
    }

    /// From here on an interrupt does not end this process: it is meant for a program that this one
    /// waits for, such as an editor.
    pub fn survive_interrupts(&self) -> Result<()> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let _within = self.runtime.enter();
            // Asked for once, it is never again what ends the process.
            for kind in [SignalKind::interrupt(), SignalKind::quit()] {
                drop(signal(kind).context("cannot wait for an editor")?);
            }
        }
        Ok(())
    }

    /// The request to stop that SIGINT and SIGTERM make from now on, so that what is under way is
    /// finished and reported; a second signal ends the process.
    pub fn stop(&self) -> &Stop {
        self.stop.get_or_init(|| {
            let stop = Stop::default();
            // Without a handler the first signal ends the process, as it does before any work.
            let _ = stop_on_signals(&stop);
            stop
        })
    }

    /// Begins something that goes on whenever this process waits for the server.
    pub fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.runtime.spawn(future)
    }

    /// Waits for the end of what was begun.
    pub fn join<T>(&self, begun: JoinHandle<std::result::Result<T, ClientError>>) -> Result<T> {
        let end = self.runtime.block_on(begun);
        // Nothing that is joined was cancelled: a task that gives no result has panicked.
        Ok(end.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?)
    }

    /// Waits, until a request to stop cuts it short.
    pub fn pause(&self, time: Duration) {
        self.runtime.block_on(async {
            tokio::select! {
                () = tokio::time::sleep(time) => {}
                () = self.stop().requested() => {}
            }
        });
    }

    /// Waits for what a server has to say.
    pub fn wait<T>(
        &self,
        future: impl Future<Output = std::result::Result<T, ClientError>>,
    ) -> Result<T> {
        Ok(self.runtime.block_on(future)?)
    }
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
