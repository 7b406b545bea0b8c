//! The foot of a page: the sources of its figures.

use crate::report::Provenance;

/// The most files of policies and configuration at the foot of a page.
const FILES: usize = 30;
/// The most characters of a command line.
const COMMAND: usize = 1_500;

/// The command line, the files of policies and configuration with their hashes, and the program.
pub(super) fn sources(provenance: &Provenance) -> Vec<(String, Vec<String>)> {
    let command: String = provenance.command.replace('`', "'").chars().take(COMMAND).collect();
    let files = provenance.inputs.iter().take(FILES).map(|file| {
        let policies = match file.policies.as_str() {
            "" => String::new(),
            name => format!("{name}: "),
        };
        let hash = file.sha256.as_ref().map(|hash| format!(", SHA-256 {hash}"));
        format!("{policies}{}{}", file.name, hash.unwrap_or_default())
    });
    let mut files: Vec<String> = files.collect();
    if let Some(left) = provenance.inputs.len().checked_sub(FILES).filter(|left| *left > 0) {
        files.push(format!("{left} more files"));
    }
    let mut all = vec![("Command".to_owned(), vec![format!("`{command}`")])];
    if !files.is_empty() {
        all.push(("Files".to_owned(), files));
    }
    all.push(("Made by".to_owned(), vec![format!("armadactl {}", env!("CARGO_PKG_VERSION"))]));
    all
}
