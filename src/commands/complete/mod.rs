//! `__complete WORD..`, which completion scripts run: names on a server or in a file, a line each.
//! The last word is the one to complete.
//!
//! A user waits for it: it ends within [`TIME_LIMIT`], prints no errors, asks no question and runs no
//! program that may ask one.

mod candidates;
mod request;

use crate::cli::Exit;
use crate::ui::{ColorChoice, ErrorFormat, Ui};
use clap::Command;
use request::CompletionRequest;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// The hidden command of the completion scripts.
pub(super) const WORD: &str = "__complete";
/// The time limit of all requests. A user does not notice 300 ms; the rest goes to starting and ending the process.
const TIME_LIMIT: Duration = Duration::from_millis(200);
/// Limit of candidates: a user reads no more of them.
const MAX_CANDIDATES: usize = 500;

/// Prints the candidates for the last word.
pub(super) fn run(words: Vec<String>, definition: fn() -> Command) -> Exit {
    let until = Instant::now() + TIME_LIMIT;
    let (sender, names) = channel();
    // A thread that is not done in time ends with the process.
    std::thread::spawn(move || {
        let mut definition = definition();
        definition.build();
        let Some(request) = CompletionRequest::parse(&words, &definition) else { return };
        candidates::send(&request, &definition, TIME_LIMIT, &sender);
    });
    let mut ui = Ui::new(ColorChoice::Never, ErrorFormat::default(), true);
    let left = || until.saturating_duration_since(Instant::now());
    let mut printed = 0;
    while let Ok(name) = names.recv_timeout(left()) {
        // A broken output cannot be reported anywhere.
        if printed == MAX_CANDIDATES || ui.data(&format!("{name}\n")).is_err() {
            break;
        }
        printed += 1;
    }
    let _ = ui.flush();
    Exit::Done
}
