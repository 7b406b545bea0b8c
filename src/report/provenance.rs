//! The sources of a report. They have no time of day, no host and no absolute path, so that equal inputs give equal bytes.

use super::short_paths::ShortPaths;

/// The sources of a report but for histories.
#[derive(Debug, Clone)]
pub struct Provenance {
    /// The command line, without flags that change no figure.
    pub command: String,
    /// The files of policies and configuration.
    pub inputs: Vec<InputFile>,
    /// The names of the files of the command line.
    pub names: ShortPaths,
}

/// A file of policies or configuration.
#[derive(Debug, Clone)]
pub struct InputFile {
    /// The name of the set of policies; empty for a file of all sets.
    pub policies: String,
    /// The name, relative to the working directory.
    pub name: String,
    /// The SHA-256 in hexadecimal digits; `None` of standard input and of a pipe, which are read once.
    pub sha256: Option<String>,
}

/// The histories of a replay, and the seed of its random values.
#[derive(Debug, Clone, Default)]
pub struct ReplaySources {
    /// The seed.
    pub seed: u64,
    /// The number of files.
    pub files: u64,
    /// Their bytes; `None` if one of them is a stream, such as standard input.
    pub bytes: Option<u64>,
}
