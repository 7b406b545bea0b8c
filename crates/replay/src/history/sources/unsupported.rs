//! Formats that are recognized by their first lines and not read, with the command whose output is read.

use document::diag::{BYTE_ORDER_MARK, Code, Diagnostic, Place, Source, Span};
use serde::de::IgnoredAny;

/// A format that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsupportedFormat {
    /// The text that `kubectl` prints if it finds nothing.
    NoResources,
    /// Values between commas.
    Csv,
    /// Slurm's columns between commas.
    SacctCsv,
    /// Slurm's columns one below another.
    SacctColumns,
    /// Slurm's columns without the one that is named.
    SacctWithout(&'static str),
    /// The table that `kubectl` prints without `-o`.
    KubectlTable,
    /// `sacct --json`, whose fields differ from release to release.
    SacctJson,
    /// The lines that Armada's `armadactl watch` prints without `--raw`.
    WatchSummary,
    /// The lines that `watch` of this program prints without `-o json`.
    WatchTable,
    /// JSON after so many other lines.
    BeforeJson(usize),
}

/// Columns of sacct by which a header is recognised.
const SACCT_COLUMNS: [&str; 12] = [
    "jobid",
    "jobidraw",
    "jobname",
    "state",
    "exitcode",
    "nodelist",
    "start",
    "end",
    "elapsed",
    "account",
    "partition",
    "user",
];

/// Lines among which the beginning of JSON is searched: a warning is a few lines.
const LINES: usize = 20;

/// How to keep other text out of JSON.
pub(super) const REDIRECT: &str = "or redirect only what the command prints to stdout: \
                                   `COMMAND 2>warnings.txt >history.json`";

/// The `sacct` whose output is read.
const SACCT: &str = "sacct --allocations --duplicates --parsable2 --format=JobID,State,ExitCode,\
                     NodeList,FailedNode,Start,End,ReqTRES,AllocTRES,Account,Partition,Cluster";

impl UnsupportedFormat {
    /// The output that begins with these lines, which are not JSON.
    pub(super) fn by_lines(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let (first, second) = (lines.next()?, lines.next().unwrap_or_default());
        if first.starts_with("No resources found") {
            return Some(Self::NoResources);
        }
        if first.starts_with("Watching job set ") && second.contains(" | Queued:") {
            return Some(Self::WatchSummary);
        }
        if first.split_whitespace().eq(["TIME", "JOB", "EVENT", "DETAILS"]) {
            return Some(Self::WatchTable);
        }
        let is_ruled = second.len() > 2 && second.chars().all(|c| c == '-' || c.is_whitespace());
        if is_ruled && names_job(first.split_whitespace()) {
            return Some(Self::SacctColumns);
        }
        if let Some(column) = missing_column(first) {
            return Some(Self::SacctWithout(column));
        }
        if is_kubectl_header(first) {
            return Some(Self::KubectlTable);
        }
        let columns = || first.split(',').map(|name| name.trim().trim_matches('"'));
        let is_name = |name: &str| {
            let mut letters = name.chars();
            letters.next().is_some_and(char::is_alphabetic)
                && letters.all(|c| c.is_alphanumeric() || "_-. ".contains(c))
        };
        if columns().nth(1).is_some() && columns().all(is_name) {
            let is_slurm = names_job(columns());
            return Some(if is_slurm { Self::SacctCsv } else { Self::Csv });
        }
        None
    }

    /// Whether JSON begins after other lines, such as a warning. Comments and the beginnings of
    /// documents are YAML, which may contain JSON. A first line that is JSON, or begins like an
    /// object or a list, is no warning.
    pub(super) fn before_json(text: &str) -> Option<Self> {
        let mut before = 0;
        let text = text.trim_start_matches(BYTE_ORDER_MARK);
        let first = text.trim_start().lines().next().unwrap_or_default();
        if first.starts_with(['{', '[']) || serde_json::from_str::<IgnoredAny>(first).is_ok() {
            return None;
        }
        for (number, line) in text.lines().take(LINES).enumerate() {
            if line.starts_with(['{', '[']) {
                return (before > 0).then_some(Self::BeforeJson(number));
            }
            if line.starts_with("---") || line.starts_with('%') {
                return None;
            }
            let line = line.trim();
            before += usize::from(!line.is_empty() && !line.starts_with('#'));
        }
        None
    }

    /// The program whose output it is, if it is a history.
    pub fn program_title(self) -> Option<&'static str> {
        match self {
            Self::SacctCsv | Self::SacctColumns | Self::SacctJson | Self::SacctWithout(_) => {
                Some("Slurm's accounting")
            }
            Self::KubectlTable => Some("a table of `kubectl`"),
            Self::WatchSummary | Self::WatchTable => Some("Armada's `armadactl watch`"),
            Self::NoResources | Self::Csv | Self::BeforeJson(_) => None,
        }
    }

    /// The finding about an output called `name` that begins with `head`.
    pub fn finding(self, name: &str, head: &[u8]) -> Diagnostic {
        let text = String::from_utf8_lossy(head);
        let mut lines = text.lines().enumerate();
        let found =
            lines.find(|(_, line)| !line.trim_start_matches(BYTE_ORDER_MARK).trim().is_empty());
        let (number, line) = found.unwrap_or_default();
        // A line may have megabytes, and a terminal shows a few hundred characters.
        let shown: String = line.chars().take(200).collect();
        let source = Source::excerpt(name, shown.as_str(), number + 1);
        let place = Place::new(&source, Span::new(0, shown.len()));
        let (message, help) = self.words(number + 1);
        Diagnostic::error(Code::NoDocument, place, message).help(help)
    }

    fn words(self, first: usize) -> (String, String) {
        let sacct = || format!("run `{SACCT}`");
        match self {
            Self::NoResources => (
                "`kubectl` found nothing: its output contains no history".to_owned(),
                "check the namespace and the labels: `kubectl get pods -A -o json`".to_owned(),
            ),
            Self::Csv => (
                "this is CSV, which is not read".to_owned(),
                "write JSON Lines, a run a line: {\"jobId\":\"a\",\"outcome\":\"Failed\"}"
                    .to_owned(),
            ),
            Self::SacctCsv => ("the columns of sacct are not separated by `|`".to_owned(), sacct()),
            Self::SacctColumns => {
                ("sacct cut its columns to a width: `--parsable2` is missing".to_owned(), sacct())
            }
            Self::SacctWithout(column) => {
                (format!("this output of sacct does not have the column `{column}`"), sacct())
            }
            Self::KubectlTable => (
                "this is the table that `kubectl` prints, which does not have the failures of pods"
                    .to_owned(),
                "run `kubectl get pods -A -o json`".to_owned(),
            ),
            Self::SacctJson => (
                "this is what `sacct --json` prints, which differs between releases of Slurm and \
                 is not read"
                    .to_owned(),
                sacct(),
            ),
            Self::WatchSummary => (
                "this is the summary that `armadactl watch` prints without `--raw`".to_owned(),
                "run Armada's `armadactl watch QUEUE JOBSET --raw`".to_owned(),
            ),
            Self::WatchTable => (
                "these are the lines that `watch` prints for people".to_owned(),
                "run `armadactl watch QUEUE JOBSET --record FILE`, or print them with `-o json`"
                    .to_owned(),
            ),
            Self::BeforeJson(lines) => {
                let which = match lines {
                    _ if lines <= first => format!("line {first} is not JSON"),
                    last => format!("lines {first} to {last} are not JSON"),
                };
                (format!("{which}; the JSON begins after"), format!("remove it, {REDIRECT}"))
            }
        }
    }
}

/// Whether columns have the names that sacct's need.
fn names_job<'n>(mut names: impl Iterator<Item = &'n str> + Clone) -> bool {
    let mut all = names.clone();
    names.any(|name| name.eq_ignore_ascii_case("jobid"))
        && all.any(|name| name.eq_ignore_ascii_case("state"))
}

/// The column that a header of sacct lacks; `None` if the line is not a header, or has all columns.
fn missing_column(line: &str) -> Option<&'static str> {
    let names: Vec<String> = line.split('|').map(|name| name.trim().to_ascii_lowercase()).collect();
    let has = |name: &str| names.iter().any(|other| other == name);
    let known = SACCT_COLUMNS.iter().filter(|name| has(name)).count();
    (known > 1)
        .then_some([("jobid", "JobID"), ("state", "State")])?
        .into_iter()
        .find_map(|(name, shown)| (!has(name)).then_some(shown))
}

/// Whether a line names the columns of a table of pods, Jobs or events.
fn is_kubectl_header(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let has = |name: &str| line.split_whitespace().any(|word| word == name);
    words.all(|word| word.chars().all(|c| c.is_ascii_uppercase() || "-()".contains(c)))
        && (has("NAME") && has("AGE") || has("REASON") && has("OBJECT"))
}
