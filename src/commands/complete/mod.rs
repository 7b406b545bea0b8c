//! `__complete WORD..`: what the completion scripts ask for and cannot know: names that a server or
//! a file holds, a line each. The last word is the one that is being typed.
//!
//! Somebody waits with a finger on a key: it ends within [`BUDGET`], says nothing of what goes
//! wrong, asks no question and runs no program that might.

mod asked;
mod live;

use crate::cli::Exit;
use crate::ui::{ColorChoice, ErrorFormat, Ui};
use asked::{Asked, Wanted};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// The word that asks for completion.
pub(super) const WORD: &str = "__complete";
/// The time there is, all in all; the rest of 300 ms goes to starting and ending.
const BUDGET: Duration = Duration::from_millis(200);
/// More names than these are no help.
const MOST: usize = 500;

/// Prints what the last word may become.
pub(super) fn run(words: Vec<String>) -> Exit {
    let until = Instant::now() + BUDGET;
    let (sender, names) = channel();
    // What is not done in time is not waited for: it ends with the process.
    std::thread::spawn(move || {
        let Some(asked) = Asked::of(&words) else { return };
        live::send(&asked, &sender);
    });
    let mut ui = Ui::new(ColorChoice::Never, ErrorFormat::default(), true);
    let left = || until.saturating_duration_since(Instant::now());
    let mut found = 0;
    while let Ok(name) = names.recv_timeout(left()) {
        // Nobody is left to be told if it cannot be printed.
        if found == MOST || ui.data(&format!("{name}\n")).is_err() {
            break;
        }
        found += 1;
    }
    let _ = ui.flush();
    Exit::Done
}

/// Whether a name may go onto somebody's command line. A shell might run what stands in any other.
fn is_harmless(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || "-._/=,".contains(c)) && !name.starts_with('-')
}
