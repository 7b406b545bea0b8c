//! Documents of another kind, given as a file that has its own form.

use super::{Document, Node};
use crate::diag::{Code, Diagnostic};

/// The kinds of documents that `-f` takes.
const OF_FILENAME: [&str; 5] = ["RetryPolicy", "Queue", "RetryProfile", "Job", "JobSet"];

/// The error for a document with `apiVersion` and a `kind` other than `own`, where `expected` is, such as "a scheduler
/// configuration"; that has `content`.
pub fn other_kind_error(
    document: &Document,
    own: Option<&str>,
    expected: &str,
    content: &str,
) -> Option<Diagnostic> {
    let kind = document.root.get("kind")?;
    document.root.get("apiVersion").and_then(Node::text)?;
    let name = kind.text().filter(|name| own != Some(*name))?;
    let help = match name {
        name if OF_FILENAME.contains(&name) => {
            format!("give the {name} with -f; {expected} has `{content}`")
        }
        "FailureHistory" => {
            format!("give the FailureHistory with --history; {expected} has `{content}`")
        }
        "ConfigMap" => "give the configuration file that the ConfigMap holds".to_owned(),
        _ => format!("{expected} has `{content}`"),
    };
    let message = format!("this is a {name}, not {expected}");
    let place = document.place(kind.span);
    Some(Diagnostic::error(Code::UnknownDocument, place, message).help(help))
}
