//! A server, as the flags, the environment and the config file say, and the waiting for it.
//!
//! Nothing of it is made before a command needs it: what works offline opens no config file,
//! starts no runtime and reads no certificate.

use super::Context;
use crate::cli::Exit;
use crate::client::{Client, ClientError};
use crate::config;
use crate::ui;
use anyhow::{Context as _, Result};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::{Builder, Runtime};

/// A server that can be asked.
pub(super) struct Connected {
    /// The server.
    pub client: Client,
    /// The context of the config file that names it, if one does.
    context: Option<String>,
    runtime: Runtime,
    interrupted: Arc<AtomicBool>,
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
        Ok(Self { client, context: connection.context, runtime, interrupted: Arc::default() })
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

    /// Whether somebody has interrupted the work. Once this was asked for, the first interrupt only
    /// says so here, that what is under way can be finished and told; the second ends the process.
    pub fn interrupts(&self) -> Arc<AtomicBool> {
        if Arc::strong_count(&self.interrupted) == 1 {
            let interrupted = Arc::clone(&self.interrupted);
            self.runtime.spawn(async move {
                while tokio::signal::ctrl_c().await.is_ok() {
                    if interrupted.swap(true, Ordering::Relaxed) {
                        std::process::exit(Exit::Interrupted.code().into());
                    }
                }
            });
        }
        Arc::clone(&self.interrupted)
    }

    /// Waits for what a server has to say.
    pub fn wait<T>(
        &self,
        future: impl Future<Output = std::result::Result<T, ClientError>>,
    ) -> Result<T> {
        Ok(self.runtime.block_on(future)?)
    }
}
