//! A place of its own for the real binary: home, working directory and environment.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A temporary working directory, which is the home directory too.
pub struct Sandbox {
    folder: TempDir,
}

/// What a run of the binary came to.
pub struct Run {
    words: Vec<String>,
    pub stdout: String,
    pub stderr: String,
    pub code: i32,
}

impl Sandbox {
    /// An empty one.
    pub fn new() -> Self {
        Self { folder: TempDir::new().expect("a temporary directory") }
    }

    /// One with the policies and the history of the README's example.
    pub fn with_examples() -> Self {
        let sandbox = Self::new();
        sandbox.examples(&["policies/infra.yaml", "policies/ml-training.yaml", "ml-training.yaml"]);
        sandbox
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file, and the directories above it.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, content).expect("a file");
        self
    }

    /// Puts examples here, by their paths below `examples`.
    pub fn examples(&self, names: &[&str]) -> &Self {
        for name in names {
            self.file(name, std::fs::read(root().join("examples").join(name)).expect("an example"));
        }
        self
    }

    /// The binary with a clean environment, in this place.
    pub fn command(&self) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("armadactl"));
        command.env_clear().current_dir(self.path()).env("HOME", self.path());
        for kept in ["PATH", "LLVM_PROFILE_FILE"] {
            if let Some(value) = std::env::var_os(kept) {
                command.env(kept, value);
            }
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a command line; blanks separate its words.
    pub fn run(&self, line: &str) -> Run {
        self.run_with(line, |_| {})
    }

    /// Runs a command line in a changed environment.
    pub fn run_with(&self, line: &str, change: impl FnOnce(&mut Command)) -> Run {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let mut command = self.command();
        command.args(&words);
        change(&mut command);
        Run::new(words, &command.output().expect("the binary runs"))
    }

    /// Runs a command line that reads from standard input.
    pub fn run_on(&self, line: &str, input: impl AsRef<[u8]>) -> Run {
        self.file(".stdin", input);
        let input = std::fs::File::open(self.path().join(".stdin")).expect("the input");
        self.run_with(line, |command| _ = command.stdin(input))
    }
}

impl Run {
    fn new(words: Vec<String>, output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
        Self {
            words,
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            code: output.status.code().expect("no signal ended it"),
        }
    }

    /// Its stdout, which has to be JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{self}"))
    }

    /// Expects an exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self}");
        self
    }
}

/// All that a person sees, as one text.
impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "$ armadactl {}", self.words.join(" "))?;
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                let missing = if text.ends_with('\n') { "" } else { "(no line break)\n" };
                write!(f, "---- {name}\n{text}{missing}")?;
            }
        }
        write!(f, "---- exit {}", self.code)
    }
}

/// Runs a check for each item at the same time. Most of the time of checks that meet a server is waiting.
pub fn at_once<T: Send>(items: impl IntoIterator<Item = T>, check: impl Fn(T) + Sync) {
    let check = &check;
    std::thread::scope(|scope| {
        for item in items {
            scope.spawn(move || check(item));
        }
    });
}

/// The crate's directory.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Compares all that a person sees with the snapshot of this name.
macro_rules! snapshot {
    ($name:literal, $run:expr) => {
        insta::with_settings!({
            omit_expression => true,
            filters => vec![
                (env!("CARGO_PKG_VERSION").replace('.', r"\.").as_str(), "VERSION"),
                (r"(?m)^server http://127\.0\.0\.1:\d+", "server http://127.0.0.1:PORT"),
            ],
        }, { insta::assert_snapshot!($name, $run.to_string()) })
    };
}
pub(crate) use snapshot;
