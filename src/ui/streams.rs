//! The two output streams of a command.

use super::progress::{Progress, Silence, SimulatedProgress};
use crate::findings;
use crate::findings::{DiagnosticItem, Style};
use document::diag::{self, Diagnostic, Place};
use serde::Serialize;
use serde_json::json;
use std::io::{self, IsTerminal, Write};

/// Formats a value as a line of JSON without characters that control a terminal.
pub fn json_line(value: &impl Serialize) -> String {
    // This cannot fail: the values are plain data with text keys.
    let text = serde_json::to_string(value).unwrap_or_default();
    diag::json_printable(&text).into_owned() + "\n"
}

/// When output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set or TERM is dumb.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ErrorFormat {
    /// With the source line and a caret.
    #[default]
    Human,
    /// One line per finding.
    Short,
    /// One JSON object per finding.
    Json,
    /// GitHub workflow commands, which annotate a pull request.
    Github,
}

/// The streams, and the options of output.
pub struct Ui {
    out: Box<dyn Write>,
    err: Box<dyn Write>,
    color: ColorChoice,
    error_format: ErrorFormat,
    quiet: bool,
    /// Whether each document of JSON is a line.
    has_json_lines: bool,
}

impl Ui {
    /// The streams of the process.
    pub fn new(color: ColorChoice, error_format: ErrorFormat, quiet: bool) -> Self {
        let out = Box::new(io::BufWriter::new(io::stdout()));
        let err = Box::new(io::stderr());
        Self { out, err, color, error_format, quiet, has_json_lines: false }
    }

    /// Streams that discard all output.
    pub fn silent(error_format: ErrorFormat) -> Self {
        let (out, err) = (Box::new(io::sink()), Box::new(io::sink()));
        let (color, quiet, has_json_lines) = (ColorChoice::Never, false, false);
        Self { out, err, color, error_format, quiet, has_json_lines }
    }

    /// Makes each document of JSON a line from now on, that of an error too: the output is a stream.
    pub fn begin_json_lines(&mut self) {
        self.has_json_lines = true;
    }

    /// Whether each document of JSON is a line.
    pub fn has_json_lines(&self) -> bool {
        self.has_json_lines
    }

    /// Prints data.
    pub fn data(&mut self, text: &str) -> io::Result<()> {
        self.bytes(text.as_bytes())
    }

    /// Prints binary data.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    /// Prints what a person has to do now, before the command goes on. `--quiet` does not suppress it.
    pub fn prompt(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.err, "{text}")?;
        self.err.flush()
    }

    /// Prints a note beside the data. `--quiet` suppresses it.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        if self.error_format != ErrorFormat::Json {
            return writeln!(self.err, "{}", diag::printable(text));
        }
        let (severity, message) = match text.split_once(": ") {
            Some((severity @ ("note" | "warning"), message)) => (severity, message),
            _ => ("note", text),
        };
        let value = json!({"severity": severity, "message": message, "help": null});
        write!(self.err, "{}", json_line(&value))
    }

    /// Prints a note about a place: `what`, a word or two, then the place and the rest. `--quiet` suppresses
    /// it.
    pub fn note_at(&mut self, place: &Place, what: &str, rest: &str) -> io::Result<()> {
        if self.quiet || self.error_format != ErrorFormat::Json {
            return self.note(&format!("note: {what}: {place}: {rest}"));
        }
        let (start, end) = (place.start(), place.end());
        let value = json!({
            "severity": "note",
            "message": format!("{what}: {rest}"),
            "file": place.source.name(),
            "line": start.line,
            "column": start.column,
            "endLine": end.line,
            "endColumn": end.column,
            "help": null,
        });
        write!(self.err, "{}", json_line(&value))
    }

    /// Starts the progress of a replay of `total` bytes. `--quiet` suppresses it.
    pub fn progress(&self, total: Option<u64>) -> Progress {
        Progress::new(total, if self.quiet { Silence::Yes } else { Silence::No })
    }

    /// Starts the progress of `runs` simulated clusters. `--quiet` suppresses it.
    pub fn simulated_progress(&self, runs: usize) -> SimulatedProgress {
        SimulatedProgress::new(self.progress(None), runs)
    }

    /// Prints findings to stderr. `--quiet` omits warnings.
    pub fn diagnostics(&mut self, items: &[Diagnostic]) -> io::Result<()> {
        let shown: Vec<Diagnostic> = items
            .iter()
            .filter(|item| !self.quiet || item.severity == diag::Severity::Error)
            .cloned()
            .collect();
        let text = self.rendered(&shown, io::stderr().is_terminal());
        self.err.write_all(text.as_bytes())
    }

    /// Prints findings as data to stdout.
    pub fn findings(&mut self, items: &[Diagnostic]) -> io::Result<()> {
        let text = self.rendered(items, io::stdout().is_terminal());
        self.out.write_all(text.as_bytes())
    }

    /// Prints the error that ended the command.
    pub fn error(&mut self, message: &str, help: Option<&str>) -> io::Result<()> {
        let text = match self.error_format {
            ErrorFormat::Short => {
                let help = help.map(|help| format!(" ({})", diag::printable(help)));
                format!("error: {}{}\n", diag::printable(message), help.unwrap_or_default())
            }
            ErrorFormat::Human => {
                let help = help.map(|help| format!("\n  help: {}", diag::printable(help)));
                format!("error: {}{}\n", diag::printable(message), help.unwrap_or_default())
            }
            ErrorFormat::Github => {
                // A runner of GitHub decodes `%25` and `%0A` in the text of a command.
                let data = |text| diag::printable(text).replace('%', "%25");
                let help = help.map(|help| format!("%0Ahelp: {}", data(help)));
                format!("::error::{}{}\n", data(message), help.unwrap_or_default())
            }
            ErrorFormat::Json => {
                json_line(&json!({"severity": "error", "message": message, "help": help}))
            }
        };
        self.err.write_all(text.as_bytes())
    }

    /// Writes buffered output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// The maximum width of tables; `None` if stdout is not a terminal.
    pub fn width() -> Option<usize> {
        if !io::stdout().is_terminal() {
            return None;
        }
        terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
    }

    /// Whether output to stdout has colours.
    pub fn style(&self) -> Style {
        self.style_of(io::stdout().is_terminal())
    }

    fn style_of(&self, terminal: bool) -> Style {
        // An empty variable is as if absent, as https://no-color.org has it.
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let coloured = match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && !dumb && !set("NO_COLOR"),
        };
        if coloured { Style::Coloured } else { Style::Plain }
    }

    fn rendered(&self, items: &[Diagnostic], terminal: bool) -> String {
        match self.error_format {
            ErrorFormat::Human => {
                let width = terminal.then(terminal_size::terminal_size).flatten();
                findings::human(
                    items,
                    self.style_of(terminal),
                    width.map(|(width, _)| usize::from(width.0)),
                )
            }
            ErrorFormat::Short => diag::short(items),
            ErrorFormat::Github => findings::github(items),
            ErrorFormat::Json => {
                items.iter().map(|item| json_line(&DiagnosticItem::from(item))).collect()
            }
        }
    }
}
