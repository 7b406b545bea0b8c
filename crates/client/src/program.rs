//! Runs a program for its output, and ends it and its children after a timeout.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The output and exit status of a program.
#[derive(Debug)]
pub(super) struct Output {
    /// The whole standard output.
    pub stdout: Vec<u8>,
    pub status: ExitStatus,
}

/// The reason that a program has no output.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProgramError {
    /// The program cannot be started.
    #[error("cannot be run: {0}")]
    Start(io::Error),
    /// The output cannot be read.
    #[error("cannot be read: {0}")]
    Read(io::Error),
    /// The program printed more than [`MAX_OUTPUT_BYTES`] bytes.
    #[error("printed more than 64 KiB")]
    TooLong,
    /// The program did not end in time, or a program that it started kept its output open.
    #[error("did not exit in time")]
    Late,
}

/// The maximum of output: 64 KiB, many times the size of a token.
const MAX_OUTPUT_BYTES: u64 = 64 << 10;
/// The interval of tests whether a program that has closed its output has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Runs a program to its end. After `timeout`, if there is one, the program is killed with every program that
/// it started.
pub(super) fn run(mut command: Command, timeout: Option<Duration>) -> Result<Output, ProgramError> {
    // A process group of its own can be killed as a whole. A program without a timeout is interactive and
    // stays in the terminal's foreground group: other groups may not read from the terminal.
    #[cfg(unix)]
    if timeout.is_some() {
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
    }
    let begun = Instant::now();
    let remaining = || timeout.map(|timeout| timeout.saturating_sub(begun.elapsed()));
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(ProgramError::Start)?;
    let output = read_output(&mut child, remaining())
        .and_then(|stdout| Ok(Output { stdout, status: wait_for_end(&mut child, remaining)? }));
    match &output {
        Err(_) if timeout.is_some() => kill(&mut child),
        // Nothing reads its output any more, so it could block forever.
        Err(ProgramError::TooLong) => _ = child.kill().and_then(|()| child.wait()),
        _ => {}
    }
    output
}

/// Reads the output until the program and its children have closed it.
fn read_output(child: &mut Child, remaining: Option<Duration>) -> Result<Vec<u8>, ProgramError> {
    let no_output = || ProgramError::Read(io::ErrorKind::BrokenPipe.into());
    let output = child.stdout.take().ok_or_else(no_output)?;
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // One byte more than the limit distinguishes a long output from one that just fits.
        let read = output.take(MAX_OUTPUT_BYTES + 1).read_to_end(&mut bytes);
        // Sending fails after a timeout, when the receiver is gone.
        let _ = sender.send(read.map(|_| bytes));
    });
    let outcome = match remaining {
        None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
        Some(remaining) => receiver.recv_timeout(remaining),
    };
    match outcome {
        Ok(Ok(bytes)) if bytes.len() as u64 > MAX_OUTPUT_BYTES => Err(ProgramError::TooLong),
        Ok(read) => read.map_err(ProgramError::Read),
        Err(RecvTimeoutError::Timeout) => Err(ProgramError::Late),
        Err(RecvTimeoutError::Disconnected) => Err(no_output()),
    }
}

/// Waits for the end of a program.
fn wait_for_end(
    child: &mut Child,
    remaining: impl Fn() -> Option<Duration>,
) -> Result<ExitStatus, ProgramError> {
    loop {
        // Without a limit there is nothing to poll for.
        let Some(remaining) = remaining() else { return child.wait().map_err(ProgramError::Read) };
        if let Some(status) = child.try_wait().map_err(ProgramError::Read)? {
            return Ok(status);
        }
        if remaining.is_zero() {
            return Err(ProgramError::Late);
        }
        std::thread::sleep(POLL_INTERVAL.min(remaining));
    }
}

/// Kills a program and its group. Errors are ignored: nothing waits for the processes any more.
fn kill(child: &mut Child) {
    // The group's id is not reused until the program has been waited for.
    #[cfg(unix)]
    let _ = rustix::process::kill_process_group(
        rustix::process::Pid::from_child(child),
        rustix::process::Signal::KILL,
    );
    // The group may not exist, if the program ended before or the system has none.
    let _ = child.kill();
    // Otherwise the process would remain as a zombie until this one ends.
    let _ = child.wait();
}
