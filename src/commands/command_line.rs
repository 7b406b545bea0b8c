//! The command line in a comment: as a shell reads it, without what is of the machine.

use crate::report::ReportPaths;
use crate::report::ShortPaths;
use std::ffi::OsString;
use std::path::Path;

/// Flags that change no figure, or that are about the connection to a server, whose address may have a password. Each
/// with whether it has a value in the next word.
const LEFT_OUT: [(&str, bool); 21] = [
    ("--armada-rest-url", true),
    ("--armadaUrl", true),
    ("--ca-file", true),
    ("--config", true),
    ("--allow-insecure-auth", false),
    ("--report", true),
    ("--threads", true),
    ("--output", true),
    ("-o", true),
    ("--color", true),
    ("--error-format", true),
    ("--show", true),
    ("--changes", true),
    ("--events", true),
    ("--record", true),
    ("--series", true),
    ("--quiet", false),
    ("-q", false),
    ("--no-headers", false),
    ("--verbose", false),
    ("-v", false),
];

/// The command line for a shell, without flags that change no figure.
pub(super) fn for_shell(words: &[OsString], names: &ShortPaths) -> String {
    let mut kept = vec!["armadactl".to_owned()];
    let mut words = words.iter().skip(1).map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        let name = word.split_once('=').map_or(&*word, |(name, _)| name);
        // `-ojson` and `-o=json` are one word.
        let is_short = |flag: &str| flag == "-o" && word.starts_with("-o");
        match LEFT_OUT.iter().find(|(flag, _)| *flag == name || is_short(flag)) {
            Some((flag, true)) if word == *flag => _ = words.next(),
            Some(_) => {}
            None => kept.push(quoted(&with_short_names(&word, names))),
        }
    }
    kept.join(" ")
}

/// The names of the files of a command line, relative to the working directory.
pub(super) fn names(words: &[OsString]) -> ShortPaths {
    let directory = std::env::current_dir().unwrap_or_default();
    names_from(&directory.to_string_lossy(), words)
}

fn names_from(directory: &str, words: &[OsString]) -> ShortPaths {
    let files = files(words);
    ShortPaths::new(ReportPaths::new(directory, directory), files.iter().map(String::as_str))
}

/// The files that words name: those that there are, and all absolute paths.
pub(super) fn files(words: &[OsString]) -> Vec<String> {
    let words: Vec<_> = words.iter().skip(1).map(|word| word.to_string_lossy()).collect();
    let values = words.iter().flat_map(|word| word.split(['=', ',']));
    let is_file = |value: &&str| Path::new(value).is_absolute() || Path::new(value).exists();
    values.filter(is_file).map(str::to_owned).collect()
}

/// A word with short names of the absolute paths in it: `base=/srv/base,/srv/queues.yaml`.
fn with_short_names(word: &str, names: &ShortPaths) -> String {
    let mut out = String::with_capacity(word.len());
    for part in word.split_inclusive(['=', ',']) {
        let end = part.len() - usize::from(part.ends_with(['=', ',']));
        out.push_str(&short_name(&part[..end], names));
        out.push_str(&part[end..]);
    }
    out
}

/// A path as it is given, but for an absolute one, of which a part is of the machine.
pub(super) fn short_name(path: &str, names: &ShortPaths) -> String {
    if Path::new(path).is_absolute() { names.name(path) } else { path.to_owned() }
}

/// A word as a shell reads it.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_has_what_changes_figures_and_no_absolute_path() {
        let words = |line: &[&str]| -> String {
            let words: Vec<OsString> = line.iter().map(OsString::from).collect();
            for_shell(&words, &names_from("/srv/repo", &words))
        };
        assert_eq!(
            words(&[
                "/usr/bin/armadactl",
                "--armada-rest-url",
                "https://a:secret@b",
                "simulate",
                "-q",
                "--threads",
                "8",
                "--report=markdown=/tmp/x",
                "--report",
                "markdown=a",
                "-ojson",
                "-o",
                "json",
                "-f",
                "/srv/repo/p/a b.yaml",
                "--variant",
                "pr=/srv/base/q,/srv/repo/q,/srv/r",
                "--history",
                "events/2026-10-*.jsonl",
                "--assert",
                "it's<1",
            ]),
            "armadactl simulate -f 'p/a b.yaml' --variant pr=base/q,q,r --history 'events/2026-10-*.jsonl' \
             --assert 'it'\\''s<1'"
        );
    }
}
