//! Findings as text for people, as GitHub's workflow commands and as data, and the pages of their ids.
//!
//! It returns texts and prints nothing.

mod github;
mod human;
mod item;

use document::diag::Code;

/// Renders findings as GitHub workflow commands, which annotate the lines of a pull request.
pub use github::{command as github_command, render as github, render_named as github_named};
pub use human::{Style, render as human};
pub use item::{DiagnosticCounts, DiagnosticItem};

macro_rules! pages {
    ($($folder:literal: { $($(#[$doc:meta])* $name:ident = $id:literal, $title:literal;)+ })+) => {
        /// The page of an id, in Markdown.
        pub fn page(code: Code) -> &'static str {
            match code {
                $($(Code::$name => include_str!(concat!("../../docs/", $folder, "/", $id, ".md")),)+)+
            }
        }
    };
}

document::codes!(pages);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_begin_with_their_titles() {
        for code in Code::ALL {
            let heading = format!("# {}: {}\n", code.id(), code.title());
            assert!(page(*code).starts_with(&heading), "{} begins with its title", code.id());
        }
    }
}
