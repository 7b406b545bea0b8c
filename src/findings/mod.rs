//! Findings as text for people, as GitHub's workflow commands and as data, and the pages of their ids.
//!
//! It returns texts and prints nothing.

mod github;
mod human;
mod item;
mod pages;

/// Renders findings as GitHub workflow commands, which annotate the lines of a pull request.
pub use github::{command as github_command, render as github, render_named as github_named};
pub use human::{Style, render as human};
pub use item::{DiagnosticCounts, DiagnosticItem};
pub use pages::page;
