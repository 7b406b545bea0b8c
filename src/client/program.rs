//! A program that is run for what it prints, and that ends in time with all that it started.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// What a program printed, and how it ended.
#[derive(Debug)]
pub(super) struct Output {
    /// All that it printed.
    pub printed: Vec<u8>,
    /// Its end.
    pub status: ExitStatus,
}

/// Why a program has no output.
#[derive(Debug)]
pub(super) enum ProgramError {
    /// It cannot be started.
    Start(io::Error),
    /// Its output cannot be read.
    Read(io::Error),
    /// It printed more than [`LONGEST`] bytes.
    TooLong,
    /// It did not end in time, or a program that it started kept its output open.
    Late,
}

/// The most bytes of output: 64 KiB.
const LONGEST: u64 = 64 << 10;
/// The time between two looks at a program that has closed its output and has not ended.
const LOOK: Duration = Duration::from_millis(5);

/// Runs a program to its end. With `patience` it is killed after that time, and so is every program
/// that it started.
pub(super) fn run(
    mut command: Command,
    patience: Option<Duration>,
) -> Result<Output, ProgramError> {
    // A group of its own can be killed as a whole. Without patience the program talks to a person,
    // and stays in the terminal's group: another one may not read from the terminal.
    #[cfg(unix)]
    if patience.is_some() {
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
    }
    let begun = Instant::now();
    let left = || patience.map(|patience| patience.saturating_sub(begun.elapsed()));
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(ProgramError::Start)?;
    let output = printed(&mut child, left())
        .and_then(|printed| Ok(Output { printed, status: end(&mut child, left)? }));
    match &output {
        Err(_) if patience.is_some() => kill(&mut child),
        // Nothing reads what it prints any more.
        Err(ProgramError::TooLong) => _ = child.kill().and_then(|()| child.wait()),
        _ => {}
    }
    output
}

/// All that a program prints, until it and those that it started have closed their output.
fn printed(child: &mut Child, left: Option<Duration>) -> Result<Vec<u8>, ProgramError> {
    let no_output = || ProgramError::Read(io::ErrorKind::BrokenPipe.into());
    let output = child.stdout.take().ok_or_else(no_output)?;
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.take(LONGEST + 1).read_to_end(&mut bytes);
        // The receiver is gone if this took too long.
        let _ = sender.send(read.map(|_| bytes));
    });
    let outcome = match left {
        None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
        Some(left) => receiver.recv_timeout(left),
    };
    match outcome {
        Ok(Ok(bytes)) if bytes.len() as u64 > LONGEST => Err(ProgramError::TooLong),
        Ok(read) => read.map_err(ProgramError::Read),
        Err(RecvTimeoutError::Timeout) => Err(ProgramError::Late),
        Err(RecvTimeoutError::Disconnected) => Err(no_output()),
    }
}

/// The end of a program.
fn end(child: &mut Child, left: impl Fn() -> Option<Duration>) -> Result<ExitStatus, ProgramError> {
    loop {
        let Some(left) = left() else { return child.wait().map_err(ProgramError::Read) };
        if let Some(status) = child.try_wait().map_err(ProgramError::Read)? {
            return Ok(status);
        }
        if left.is_zero() {
            return Err(ProgramError::Late);
        }
        std::thread::sleep(LOOK.min(left));
    }
}

/// Kills a program and its group. What fails here changes nothing: nothing waits for them any more.
fn kill(child: &mut Child) {
    // The group's number is not reused as long as the program has not been waited for.
    #[cfg(unix)]
    let _ = rustix::process::kill_process_group(
        rustix::process::Pid::from_child(child),
        rustix::process::Signal::KILL,
    );
    let _ = child.kill();
    let _ = child.wait();
}
