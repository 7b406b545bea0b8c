//! `__complete WORD..`, which completion scripts run: names on a server or in a file, a line each.
//! The last word is the one to complete.
//!
//! A user waits for it: it ends within [`BUDGET`], prints no errors, asks no question and runs no
//! program that might.

mod candidates;
mod request;

use crate::cli::Exit;
use crate::ui::{ColorChoice, ErrorFormat, Ui};
use clap::Command;
use request::{Candidates, CompletionRequest};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// The hidden command of the completion scripts.
pub(super) const WORD: &str = "__complete";
/// The time there is, all in all; the rest of 300 ms goes to starting and ending.
const BUDGET: Duration = Duration::from_millis(200);
/// The most candidates: no one reads more.
const MOST: usize = 500;

/// Prints the candidates for the last word.
pub(super) fn run(words: Vec<String>, definition: fn() -> Command) -> Exit {
    let until = Instant::now() + BUDGET;
    let (sender, names) = channel();
    // A thread that is not done in time ends with the process.
    std::thread::spawn(move || {
        let definition = definition();
        let Some(request) = CompletionRequest::parse(&words, &definition) else { return };
        candidates::send(&request, &definition, &sender);
    });
    let mut ui = Ui::new(ColorChoice::Never, ErrorFormat::default(), true);
    let left = || until.saturating_duration_since(Instant::now());
    let mut printed = 0;
    while let Ok(name) = names.recv_timeout(left()) {
        // A broken output cannot be reported anywhere.
        if printed == MOST || ui.data(&format!("{name}\n")).is_err() {
            break;
        }
        printed += 1;
    }
    let _ = ui.flush();
    Exit::Done
}

/// Whether a name is safe on a command line: a shell might run parts of others.
fn is_harmless(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || "-._/=,".contains(c)) && !name.starts_with('-')
}
