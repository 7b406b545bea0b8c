//! Findings about inputs that cannot be read.

use super::unsupported::UnsupportedInput;
use document::diag::{Code, Diagnostic};
use std::path::Path;

/// The finding that a path cannot be read.
pub fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    unreadable_name(&display_name(path), error)
}

/// The finding that an input with this name cannot be read.
pub fn unreadable_name(name: &str, error: &std::io::Error) -> Diagnostic {
    if let Some(unsupported) = UnsupportedInput::from_error(error) {
        return unsupported.finding(name);
    }
    let message = format!("cannot read `{name}`: {}", error_text(error));
    let finding = Diagnostic::without_place(Code::Unreadable, message);
    let is_address = ["http://", "https://"].iter().any(|scheme| name.starts_with(scheme));
    let help = is_address.then(|| {
        format!("nothing is downloaded; write `curl -sSfL {name} |` before it, and `-` as the file")
    });
    finding.maybe_help(help)
}

/// The operating system's message without its number: "No such file or directory".
fn error_text(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// The name of a path in messages. Bytes that are not UTF-8 are escaped, so that different names remain
/// different.
pub fn display_name(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        name.push_str(chunk.valid());
        for byte in chunk.invalid() {
            name.push_str(&format!("\\x{byte:02x}"));
        }
    }
    name
}
