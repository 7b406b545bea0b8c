//! Words that are names of files.

use std::path::Path;

/// Whether a word is the name of a file rather than that of a resource or command.
pub(super) fn is_file_name(word: &str) -> bool {
    let path = Path::new(word);
    let endings = ["yaml", "yml", "json", "jsonl", "ndjson"];
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
    word == "-"
        || ending.is_some_and(|ending| endings.contains(&ending.as_str()))
        || word.ends_with('/')
        || word.starts_with("./")
}
