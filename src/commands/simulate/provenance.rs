//! The sources of a report: the command line, the hashes of policies and configuration, the size of histories.

use super::SimulateArgs;
use super::inputs::history_files;
use super::variant_args::FIRST_VARIANT;
use crate::commands::load;
use crate::report::comment::{HistoryFiles, InputFile, Provenance};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::slice;

/// Flags that change no figure, or that are about the connection to a server, whose address may have a password. Each
/// with whether it has a value in the next word.
const LEFT_OUT: [(&str, bool); 18] = [
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
    ("--quiet", false),
    ("-q", false),
    ("--no-headers", false),
    ("--verbose", false),
    ("-v", false),
];

/// Reads the files once more; one that cannot be read has no hash.
pub(super) fn gather(args: &SimulateArgs, words: &[OsString]) -> Provenance {
    let directory = std::env::current_dir().unwrap_or_default();
    let histories = history_files(&args.history);
    let size =
        |path: &PathBuf| path.metadata().ok().filter(fs::Metadata::is_file).map(|file| file.len());
    Provenance {
        command: command(words, &directory),
        seed: args.seed.unwrap_or_default(),
        inputs: inputs(args, &directory),
        history: HistoryFiles {
            files: histories.len() as u64,
            bytes: histories.iter().map(size).sum(),
        },
    }
}

/// The files of policies and configuration.
fn inputs(args: &SimulateArgs, directory: &Path) -> Vec<InputFile> {
    let first = args.policies.files.iter().map(|path| (FIRST_VARIANT, path));
    let variants = args.variant.iter();
    let variants = variants.flat_map(|it| it.files.iter().map(|path| (it.name.as_str(), path)));
    let configuration = args.settings().map(|path| ("", path));
    let all = first.chain(variants).chain(configuration);
    all.flat_map(|(policies, path)| {
        let name = relative(&path.to_string_lossy(), directory);
        load::files(slice::from_ref(path)).into_iter().map(move |file| InputFile {
            policies: policies.to_owned(),
            name: match file.strip_prefix(path) {
                Ok(below) if !below.as_os_str().is_empty() => format!("{name}/{}", below.display()),
                Ok(_) => name.clone(),
                Err(_) => relative(&file.to_string_lossy(), directory),
            },
            sha256: sha256(&file),
        })
    })
    .collect()
}

/// The SHA-256 of a file; `None` if it is no regular file.
fn sha256(path: &Path) -> Option<String> {
    let bytes = path.is_file().then(|| fs::read(path).ok()).flatten()?;
    let mut digits = String::with_capacity(64);
    for byte in Sha256::digest(&bytes) {
        let _ = write!(digits, "{byte:02x}");
    }
    Some(digits)
}

/// The command line for a shell, without flags that change no figure.
fn command(words: &[OsString], directory: &Path) -> String {
    let mut kept = vec!["armadactl".to_owned()];
    let mut words = words.iter().skip(1).map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        let name = word.split_once('=').map_or(&*word, |(name, _)| name);
        // `-ojson` and `-o=json` are one word.
        let is_short = |flag: &str| flag == "-o" && word.starts_with("-o");
        match LEFT_OUT.iter().find(|(flag, _)| *flag == name || is_short(flag)) {
            Some((flag, true)) if word == *flag => _ = words.next(),
            Some(_) => {}
            None => kept.push(quoted(&relative_values(&word, directory))),
        }
    }
    kept.join(" ")
}

/// A word with the paths in it relative to the working directory: `base=/srv/base,/srv/queues.yaml`.
fn relative_values(word: &str, directory: &Path) -> String {
    let mut out = String::with_capacity(word.len());
    for part in word.split_inclusive(['=', ',']) {
        let end = part.len() - usize::from(part.ends_with(['=', ',']));
        out.push_str(&relative(&part[..end], directory));
        out.push_str(&part[end..]);
    }
    out
}

/// A path relative to the working directory; the last part of an absolute path outside of it, since the rest is of the
/// machine.
fn relative(path: &str, directory: &Path) -> String {
    let whole = Path::new(path);
    if !whole.is_absolute() {
        return path.to_owned();
    }
    if let Ok(below) = whole.strip_prefix(directory)
        && !below.as_os_str().is_empty()
    {
        return below.to_string_lossy().into_owned();
    }
    let last = whole.file_name().map(|name| name.to_string_lossy().into_owned());
    last.unwrap_or_else(|| "/".to_owned())
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
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
            command(&words, Path::new("/srv/repo"))
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
                "pr=/srv/base/p,/srv/repo/q",
                "--history",
                "events/2026-10-*.jsonl",
                "--assert",
                "it's<1",
            ]),
            "armadactl simulate -f 'p/a b.yaml' --variant pr=p,q --history 'events/2026-10-*.jsonl' \
             --assert 'it'\\''s<1'"
        );
    }
}
