//! `.armadactl-lint.yaml`: the settings of `lint` for a repository.

use document::diag::{Code, Diagnostic, Findings, Severity, Source, did_you_mean};
use document::units::GoDuration;
use document::{
    Choices, Document, Entry, Extra, Field, KeyCase, Kind, Limits, Node, Shape, check, choice,
    optional, parse, required,
};
use std::sync::Arc;

/// The name of the file.
pub const LINT_CONFIG_NAME: &str = ".armadactl-lint.yaml";

/// The settings of `lint`. Paths are as they are written: relative to the file's directory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LintConfig {
    /// The findings to report; `None` for all.
    pub select: Option<Vec<CodePrefix>>,
    /// The findings not to report.
    pub ignore: Vec<CodePrefix>,
    /// The severity from which on the exit code is 1.
    pub fail_on: Option<Severity>,
    /// Patterns of files that are not read.
    pub exclude: Vec<String>,
    /// Other severities of findings.
    pub severity: Vec<(Code, Severity)>,
    /// The bounds of a job's worst case.
    pub bounds: BoundSettings,
    /// The scheduler's configuration file.
    pub scheduler_config: Option<String>,
    /// The executors' configuration files, each as `[CLUSTER=]FILE[,FILE..]`.
    pub executor_config: Vec<String>,
    /// Files and directories with Queue documents.
    pub queues: Vec<String>,
    /// The baseline.
    pub baseline: Option<String>,
    /// The replay of `simulate --base`.
    pub simulate: Option<SimulateSettings>,
}

/// The replay of a change of policies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SimulateSettings {
    /// Files, directories and patterns of policies.
    pub policies: Vec<String>,
    /// Files, directories and patterns of histories.
    pub history: Vec<String>,
    /// More words of the command line.
    pub flags: Vec<String>,
}

/// The bounds on what one job may cost; `None` means the default.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BoundSettings {
    /// The maximum of attempts, the first one included.
    pub attempts: Option<u64>,
    /// The maximum of the sum of all waits before retries.
    pub wait: Option<GoDuration>,
    /// The maximum of the last attempt's memory, as a multiple of the first one's.
    pub memory_factor: Option<f64>,
    /// The time that a disruption takes which the waits before retries should outlast.
    pub outage: Option<GoDuration>,
}

/// An id of findings, or the beginning of several: `RP101`, `RP1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePrefix(String);

impl CodePrefix {
    /// The ids that begin with a text, in any case; `None` if there are none.
    pub fn parse(text: &str) -> Option<Self> {
        let prefix = Self(text.to_ascii_uppercase());
        let is_prefix = !text.is_empty() && Code::ALL.iter().any(|code| prefix.matches(*code));
        is_prefix.then_some(prefix)
    }

    /// Whether a code begins with the prefix.
    pub fn matches(&self, code: Code) -> bool {
        code.id().starts_with(&self.0)
    }

    /// The message and the help for a text that is not a prefix of an id.
    pub fn explain_unknown(text: &str) -> (String, String) {
        // The digits of an id are a number, not a name: RP999 is not almost RP009.
        let digits = text.to_ascii_uppercase();
        let digits = digits.strip_prefix("RP").unwrap_or("?");
        let is_id = digits.len() == 3 && digits.chars().all(|c| c.is_ascii_digit());
        let near = did_you_mean(text, Code::ALL.iter().map(|code| code.id()));
        let near = near.filter(|_| !is_id && text.len() >= "RP".len());
        let help = near.map_or_else(
            || "give ids such as `RP101`, or beginnings of ids such as `RP1`".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        (format!("no finding has an id that begins with `{text}`"), help)
    }
}

static SEVERITIES: Choices = Choices {
    name: "severity",
    values: &[
        choice("error", "The document cannot be used, or must not be."),
        choice("warning", "The document is probably not what its author intended."),
        choice("info", "The author may want to know."),
    ],
    any_case: false,
    elsewhere: &[],
};

const CODES: Kind = Kind::List { item: &Kind::SomeText, min: 0 };
const PATHS: Kind = Kind::List { item: &Kind::SomeText, min: 0 };
const SOME_PATHS: Kind = Kind::List { item: &Kind::SomeText, min: 1 };

const fn field(name: &'static str, kind: Kind, doc: &'static str) -> Field {
    optional(name, kind, doc)
}

/// The fields of `.armadactl-lint.yaml`.
pub static LINT_CONFIG: Shape = Shape {
    name: "lint configuration",
    doc: "The settings of `armadactl lint` for a repository: `.armadactl-lint.yaml`.\n\
          Flags of the command win over the file. Paths are relative to the file's directory.",
    fields: &[
        field(
            "select",
            CODES,
            "The findings to report: ids, or beginnings of ids such as `RP1`.\n\
             Absent means all.",
        ),
        field(
            "ignore",
            CODES,
            "The findings not to report: ids, or beginnings of ids. It wins over `select`.",
        ),
        field(
            "failOn",
            Kind::OneOf(&SEVERITIES),
            "The severity from which on findings make the exit code 1.",
        ),
        field("exclude", PATHS, "Patterns of files that are not read: `generated/**`."),
        field(
            "severity",
            Kind::Map(&Kind::OneOf(&SEVERITIES)),
            "Other severities of findings, by id.\n\
             Errors of documents (`RP0nn`) keep theirs.",
        ),
        field("bounds", Kind::Object(&BOUNDS), "The bounds of a job's worst case."),
        field("schedulerConfig", Kind::SomeText, "The scheduler's configuration file."),
        field(
            "executorConfig",
            PATHS,
            "The configuration files of executors: `[CLUSTER=]FILE[,FILE..]`, an item for each.",
        ),
        field("queues", PATHS, "Files and directories with Queue documents."),
        field(
            "baseline",
            Kind::SomeText,
            "The file with the findings that are not reported, which `lint --write-baseline` writes.",
        ),
        field(
            "simulate",
            Kind::Object(&SIMULATE),
            "The replay of a change of policies: `armadactl simulate --base`.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static SIMULATE: Shape = Shape {
    name: "simulate",
    doc: "The replay of a change of policies, through those of the base branch and those of the change.",
    fields: &[
        required(
            "policies",
            SOME_PATHS,
            "Files, directories and patterns of policies, the same in both.",
        ),
        required(
            "history",
            SOME_PATHS,
            "Files, directories and patterns of histories, those of the change.",
        ),
        field(
            "flags",
            PATHS,
            "More flags of `simulate`, a word each: `[--queue-policies, \"infra,training\"]`.\n\
             Files in them are relative to the working directory.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static BOUNDS: Shape = Shape {
    name: "bounds",
    doc: "The bounds of a job's worst case: if every attempt fails with the failure that is retried longest.",
    fields: &[
        field(
            "attempts",
            Kind::Whole { min: 1, max: u32::MAX as i128, code: Code::OutOfRange },
            "The maximum of attempts, the first one included.",
        ),
        field("wait", Kind::Duration, "The maximum of the sum of all waits before retries."),
        field(
            "memoryFactor",
            Kind::Number { min: 1.0, above: false, code: Code::OutOfRange },
            "The maximum of the last attempt's memory, as a multiple of the first one's.",
        ),
        field(
            "outage",
            Kind::Duration,
            "The time that a disruption takes which the waits before retries should outlast.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

/// Reads the settings. An empty file has none. `None` if there are errors.
pub fn read_lint_config(source: &Arc<Source>) -> (Option<LintConfig>, Findings) {
    let (documents, mut findings) = parse(source, Limits::POLICY);
    if findings.has_errors() {
        return (None, findings);
    }
    let Some(document) = documents.first() else { return (Some(LintConfig::default()), findings) };
    if let Some(second) = documents.get(1) {
        let place = second.place(second.root.span.first_line(source.text()));
        let message = "a lint configuration is one document";
        let finding = Diagnostic::error(Code::DuplicateDocument, place, message);
        findings.push(finding.help("join the documents"));
    }
    check(source, &document.root, &LINT_CONFIG, KeyCase::Exact, &mut findings);
    if findings.has_errors() {
        return (None, findings);
    }
    let config = Reader { document, findings: &mut findings }.config();
    if findings.has_errors() { (None, findings) } else { (Some(config), findings) }
}

fn duration(node: &Node) -> Option<GoDuration> {
    GoDuration::parse(node.text()?).ok()
}

struct Reader<'a> {
    document: &'a Document,
    findings: &'a mut Findings,
}

impl Reader<'_> {
    fn config(&mut self) -> LintConfig {
        let root = &self.document.root;
        let text = |key: &str| root.get(key).and_then(Node::text);
        let bounds = root.get("bounds");
        let bound = |key: &str| bounds.and_then(|bounds| bounds.get(key));
        LintConfig {
            select: root.get("select").map(|list| self.prefixes(list)),
            ignore: root.get("ignore").map_or_else(Vec::new, |list| self.prefixes(list)),
            fail_on: text("failOn").and_then(severity),
            exclude: self.patterns(),
            severity: self.severities(),
            bounds: BoundSettings {
                attempts: bound("attempts")
                    .and_then(Node::integer)
                    .and_then(|it| it.try_into().ok()),
                wait: bound("wait").and_then(duration),
                memory_factor: bound("memoryFactor").and_then(Node::number),
                outage: bound("outage").and_then(duration),
            },
            scheduler_config: text("schedulerConfig").map(str::to_owned),
            executor_config: texts(root, "executorConfig"),
            queues: texts(root, "queues"),
            baseline: text("baseline").map(str::to_owned),
            simulate: root.get("simulate").map(|simulate| SimulateSettings {
                policies: texts(simulate, "policies"),
                history: texts(simulate, "history"),
                flags: texts(simulate, "flags"),
            }),
        }
    }

    fn prefixes(&mut self, list: &Node) -> Vec<CodePrefix> {
        let mut prefixes = Vec::new();
        for item in list.items() {
            let text = item.text().unwrap_or_default();
            match CodePrefix::parse(text) {
                Some(prefix) => prefixes.push(prefix),
                None => self.refuse(item, CodePrefix::explain_unknown(text)),
            }
        }
        prefixes
    }

    fn severities(&mut self) -> Vec<(Code, Severity)> {
        let entries = self.document.root.get("severity").map(Node::entries).unwrap_or_default();
        let mut severities = Vec::new();
        for entry in entries {
            let to = entry.value.text().and_then(severity);
            match (Code::from_id(&entry.key), to) {
                (Some(code), Some(to)) => severities.push((code, to)),
                _ => self.refuse_key(entry),
            }
        }
        severities
    }

    fn patterns(&mut self) -> Vec<String> {
        let list = self.document.root.get("exclude").map(Node::items).unwrap_or_default();
        for item in list {
            if let Err(error) = glob::Pattern::new(item.text().unwrap_or_default()) {
                let message = format!("`exclude`: not a pattern of file names: {}", error.msg);
                let help = "write a path in which `*`, `**` and `?` match any characters";
                self.refuse(item, (message, help.to_owned()));
            }
        }
        texts(&self.document.root, "exclude")
    }

    fn refuse_key(&mut self, entry: &Entry) {
        let near = did_you_mean(&entry.key, Code::ALL.iter().map(|code| code.id()));
        let help = near.map_or("give an id such as `RP101`".to_owned(), |near| {
            format!("did you mean `{near}`?")
        });
        let message = format!("no finding has the id `{}`", entry.key);
        let place = self.document.place(entry.key_span);
        self.findings.push(Diagnostic::error(Code::NotAChoice, place, message).help(help));
    }

    fn refuse(&mut self, node: &Node, (message, help): (String, String)) {
        let place = self.document.place(node.span);
        self.findings.push(Diagnostic::error(Code::NotAChoice, place, message).help(help));
    }
}

fn texts(root: &Node, key: &str) -> Vec<String> {
    let items = root.get(key).map(Node::items).unwrap_or_default();
    items.iter().filter_map(Node::text).map(str::to_owned).collect()
}

fn severity(text: &str) -> Option<Severity> {
    Severity::ALL.into_iter().find(|severity| severity.as_str() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<LintConfig>, Vec<(&'static str, String)>) {
        let (config, findings) = read_lint_config(&Source::new("x", text));
        let found = findings.sorted().into_iter();
        (config, found.map(|it| (it.code.id(), it.help.unwrap_or_default())).collect())
    }

    #[test]
    fn all_settings_are_read() {
        let (config, findings) = read(
            "select: [RP0, rp190]\nignore:\n- RP024\nfailOn: warning\nexclude: ['generated/**']\nseverity: {RP190: \
             info}\nbounds: {attempts: 10, wait: 2h, memoryFactor: 4, outage: 90s}\nschedulerConfig: s.yaml\nexecutorConfig: \
             [a=x.yaml]\nqueues: [queues/]\nbaseline: b.yaml\nsimulate:\n  policies: [p/]\n  history: [h.jsonl]\n  flags: [--seed, '7']\n",
        );
        let prefix = |text: &str| CodePrefix(text.to_owned());
        let wanted = LintConfig {
            select: Some(vec![prefix("RP0"), prefix("RP190")]),
            ignore: vec![prefix("RP024")],
            fail_on: Some(Severity::Warning),
            exclude: vec!["generated/**".to_owned()],
            severity: vec![(Code::UnusedSuppression, Severity::Info)],
            bounds: BoundSettings {
                attempts: Some(10),
                wait: Some(GoDuration::from_secs(7200)),
                memory_factor: Some(4.0),
                outage: Some(GoDuration::from_secs(90)),
            },
            scheduler_config: Some("s.yaml".to_owned()),
            executor_config: vec!["a=x.yaml".to_owned()],
            queues: vec!["queues/".to_owned()],
            baseline: Some("b.yaml".to_owned()),
            simulate: Some(SimulateSettings {
                policies: vec!["p/".to_owned()],
                history: vec!["h.jsonl".to_owned()],
                flags: vec!["--seed".to_owned(), "7".to_owned()],
            }),
        };
        assert_eq!((config, findings), (Some(wanted), vec![]));
        for empty in ["", "# nothing\n", "{}\n", "select:\n"] {
            assert_eq!(read(empty), (Some(LintConfig::default()), vec![]), "{empty}");
        }
    }

    #[test]
    fn mistakes_are_errors() {
        for (text, id, help) in [
            ("ignroe: [RP101]\n", "RP005", "did you mean `ignore`?"),
            ("bounds: {attempt: 1}\n", "RP005", "did you mean `attempts`?"),
            ("fail-on: error\n", "RP005", "did you mean `failOn`?"),
            ("ignore: [RP19O]\n", "RP009", "did you mean `RP190`?"),
            ("ignore: [RP9]\n", "RP009", "did you mean `RP009`?"),
            ("severity: {RP1: info}\n", "RP009", "did you mean `RP001`?"),
            ("failOn: warn\n", "RP009", "did you mean `warning`?"),
            (
                "exclude: ['a***']\n",
                "RP009",
                "write a path in which `*`, `**` and `?` match any characters",
            ),
            ("bounds: {memoryFactor: 0.5}\n", "RP013", ""),
            ("bounds: {wait: soon}\n", "RP010", ""),
            ("simulate: {policies: [p]}\n", "RP007", ""),
            ("ignore: []\n---\nignore: []\n", "RP014", "join the documents"),
            ("ignore: [\n", "RP001", ""),
        ] {
            let (config, findings) = read(text);
            assert_eq!((config, findings.len()), (None, 1), "{text}: {findings:?}");
            assert_eq!(findings[0].0, id, "{text}");
            assert!(help.is_empty() || findings[0].1 == help, "{text}: {}", findings[0].1);
        }
    }

    #[test]
    fn a_prefix_matches_the_ids_that_begin_with_it() {
        let matches = |prefix: &str, code| CodePrefix::parse(prefix).map(|it| it.matches(code));
        assert_eq!(matches("RP02", Code::OddSpelling), Some(true));
        assert_eq!(matches("rp190", Code::UnusedSuppression), Some(true));
        assert_eq!(matches("RP1", Code::OddSpelling), Some(false));
        for text in ["", "P0", "RP24", "RP0240"] {
            assert_eq!(CodePrefix::parse(text), None, "{text}");
        }
    }
}
