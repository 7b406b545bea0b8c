//! The temporary file that the user edits, and the editor.

use crate::cli::Refusal;
use anyhow::{Context as _, Result};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A text in a file of its own, which only this user can read.
pub(super) struct Draft {
    path: PathBuf,
}

impl Draft {
    /// A file with this text in the directory for temporary files.
    pub(super) fn new(name: &str, text: &str) -> Result<Self> {
        let folder = std::env::temp_dir();
        // Another user may have made files of these names: 100 attempts are enough unless one makes all.
        for attempt in 0..100 {
            let file = format!("armadactl-edit-{name}-{}-{attempt}.yaml", std::process::id());
            let path = folder.join(file);
            match create_private(&path) {
                Ok(mut file) => {
                    file.write_all(text.as_bytes()).with_context(|| file_error("write", &path))?;
                    return Ok(Self { path });
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error).with_context(|| file_error("write", &path)),
            }
        }
        Err(Refusal::input(format!("cannot find a free file name in `{}`", folder.display()))
            .into())
    }

    /// The path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs the editor, and returns the text.
    pub(super) fn edit(&self) -> Result<String> {
        let editor = editor();
        let status = command(&editor, &self.path).status();
        let failed = |why: String| {
            Refusal::input(format!("the editor `{editor}` {why}"))
                .help(self.help_with_place(Some("set `EDITOR` or `VISUAL` to choose the editor")))
        };
        let status = status.map_err(|error| failed(format!("cannot be run: {error}")))?;
        if !status.success() {
            return Err(failed(format!("ended with {status}; nothing was sent")).into());
        }
        std::fs::read_to_string(&self.path).with_context(|| file_error("read", &self.path))
    }

    /// Removes the file.
    pub(super) fn discard(&self) {
        // A temporary file that stays does no harm.
        let _ = std::fs::remove_file(&self.path);
    }

    /// A help text, and the place of the text.
    pub(super) fn help_with_place(&self, help: Option<&str>) -> String {
        let place = format!("your text is kept in {}", self.path.display());
        help.map_or_else(|| place.clone(), |help| format!("{help}; {place}"))
    }

    /// The error, with the place of the text as help.
    pub(super) fn with_place(&self, error: &anyhow::Error) -> anyhow::Error {
        let refusal = Refusal::from(error);
        let help = self.help_with_place(refusal.help.as_deref());
        refusal.help(help).into()
    }
}

fn file_error(what: &str, path: &Path) -> String {
    format!("cannot {what} `{}`", path.display())
}

/// Creates a file that only this user can read; an error if there is one, or a link.
fn create_private(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// The user's editor: it may have arguments of its own.
fn editor() -> String {
    let variable = |name| std::env::var(name).ok().filter(|text: &String| !text.trim().is_empty());
    variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".to_owned())
}

/// The shell splits `EDITOR` into words.
#[cfg(unix)]
fn command(editor: &str, path: &Path) -> Command {
    let mut command = Command::new("sh");
    // The path is an argument of the script: the shell takes nothing in it for its own.
    command.arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(path);
    command
}

#[cfg(not(unix))]
fn command(editor: &str, path: &Path) -> Command {
    let mut words = editor.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("notepad"));
    command.args(words).arg(path);
    command
}
