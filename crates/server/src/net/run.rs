//! The server: accepts connections until a signal, then waits for current requests.

use super::arrivals::{Arrivals, speaks};
use super::request::{Shared, serve};
use super::signals::Signals;
use super::write_timeout::WriteTimeout;
use super::{Limits, Log};
use crate::Api;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

/// A server that is bound to its address.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    api: Arc<Api>,
    limits: Limits,
}

/// The threads that wait for the disk.
// Writes are serialized, so more threads would only wait.
const DISK_THREADS: usize = 8;
/// The pause after a failed accept, so that a lack of file descriptors does not cause a busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// The maximum size of a request's head.
// It limits the buffer of each connection.
const MAX_HEAD_BYTES: usize = 64 * 1024;

impl Server {
    /// Binds to the first of the addresses that is available.
    pub fn bind(addresses: &[SocketAddr], api: Api, limits: Limits) -> io::Result<Self> {
        let listener = TcpListener::bind(addresses)?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, api: Arc::new(api), limits })
    }

    /// Answers requests until SIGINT or SIGTERM. Then it accepts no more, and waits some seconds for current
    /// requests to end; a second signal ends them at once.
    pub fn run(self, log: Log) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(DISK_THREADS)
            .build()?;
        runtime.block_on(self.serve_until_stopped(log))
    }

    async fn serve_until_stopped(self, log: Log) -> io::Result<()> {
        let Self { listener, api, limits } = self;
        let mut signals = Signals::new()?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        log.send_address(listener.local_addr()?);
        let shared = Arc::new(Shared { api, limits, log: log.clone() });
        let slots = Arc::new(Semaphore::new(limits.connections));
        let (stop, stopped) = watch::channel(());
        tokio::select! {
            () = accept(listener, &shared, &slots, &stopped) => {}
            () = signals.next() => {}
        }
        log.send_line("stopping".to_owned());
        // Tasks that wait for a request end at once.
        drop(stop);
        let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
        tokio::select! {
            // All slots are free once no connection is left.
            ended = timeout(limits.grace(), slots.acquire_many(all)) => {
                if ended.is_err() {
                    log.send_line("connections that did not end were cut".to_owned());
                }
            }
            () = signals.next() => {}
        }
        Ok(())
    }
}

/// Accepts connections. Each gets a slot once it has sent something.
async fn accept(
    listener: tokio::net::TcpListener,
    shared: &Arc<Shared>,
    slots: &Arc<Semaphore>,
    stopped: &watch::Receiver<()>,
) {
    let mut arrivals = Arrivals::new(shared.limits);
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let Some(open) = arrivals.admit().await else { return };
                let (shared, slots) = (Arc::clone(shared), Arc::clone(slots));
                let silent = arrival(stream, shared, slots, stopped.clone(), open);
                arrivals.add(tokio::spawn(silent).abort_handle());
            }
            Err(error) => {
                // The client has gone, or there are no file descriptors left: then a silent connection gives
                // up its own, and the next attempt follows after a pause.
                if error.kind() != io::ErrorKind::ConnectionAborted {
                    arrivals.close_oldest();
                }
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Waits for the first byte, and passes the connection on to a task of its own, which is not closed in favour
/// of others.
async fn arrival(
    stream: TcpStream,
    shared: Arc<Shared>,
    slots: Arc<Semaphore>,
    mut stopped: watch::Receiver<()>,
    open: OwnedSemaphorePermit,
) {
    let speaks = tokio::select! {
        speaks = speaks(&stream, shared.limits) => speaks,
        _ = stopped.changed() => false,
    };
    if speaks {
        tokio::spawn(async move {
            // A connection waits for a slot only after its first byte, so that silent ones take none.
            let slot = tokio::select! {
                slot = slots.acquire_owned() => slot,
                _ = stopped.changed() => return,
            };
            // Answers are small, so Nagle's algorithm would only delay them.
            let _ = stream.set_nodelay(true);
            let stream = WriteTimeout::new(stream, shared.limits.time);
            connection(stream, shared, stopped).await;
            drop((slot, open));
        });
    }
}

async fn connection(stream: WriteTimeout, shared: Arc<Shared>, mut stopped: watch::Receiver<()>) {
    let head_time = shared.limits.head_time();
    let service = service_fn(move |request| serve(Arc::clone(&shared), request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // A client may close its sending side once it has sent the request.
        .half_close(true)
        .header_read_timeout(head_time)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    // An error of a connection concerns only its client.
    tokio::select! {
        _ = connection.as_mut() => {}
        _ = stopped.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
