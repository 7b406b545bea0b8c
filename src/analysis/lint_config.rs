//! `.armadactl-lint.yaml`: the settings of `lint` for a repository.

use document::diag::{Code, Diagnostic, Findings, Severity, Source, did_you_mean};
use document::units::GoDuration;
use document::{Document, Entry, FieldValue, KeyCase, Kind, Limits, Node, check, document, parse};
use std::sync::Arc;

/// The name of the file.
pub const LINT_CONFIG_NAME: &str = ".armadactl-lint.yaml";

const PATHS: Kind = Kind::List { item: &Kind::SomeText, min: 0 };
const SOME_PATHS: Kind = Kind::List { item: &Kind::SomeText, min: 1 };

document! {
    /// The settings of `armadactl lint` for a repository: `.armadactl-lint.yaml`.
    /// Flags of the command win over the file. Paths are relative to the file's directory.
    #[derive(Debug, Clone, PartialEq)]
    pub struct LintConfig = "lint configuration" {
        /// The findings to report: ids, or beginnings of ids such as `RP1`.
        /// Absent means all.
        pub select: Option<Vec<CodePrefix>>,
        /// The findings not to report: ids, or beginnings of ids. It wins over `select`.
        pub ignore: Vec<CodePrefix> = Vec::new(),
        /// The severity from which on findings make the exit code 1.
        pub fail_on as "failOn": Option<Severity>,
        /// Patterns of files that are not read: `generated/**`.
        pub exclude: Vec<String> = Vec::new() => PATHS,
        /// Other severities of findings, by id.
        /// Errors of documents (`RP0nn`) keep theirs.
        pub severity: Severities = Severities::default(),
        /// The bounds of a job's worst case.
        pub bounds: BoundSettings = BoundSettings::default(),
        /// The scheduler's configuration file.
        pub scheduler_config as "schedulerConfig": Option<String> => Kind::SomeText,
        /// The configuration files of executors: `[CLUSTER=]FILE[,FILE..]`, an item for each.
        pub executor_config as "executorConfig": Vec<String> = Vec::new() => PATHS,
        /// Files and directories with Queue documents.
        pub queues: Vec<String> = Vec::new() => PATHS,
        /// The file with the findings that are not reported, which `lint --write-baseline` writes.
        pub baseline: Option<String> => Kind::SomeText,
        /// The replay of a change of policies: `armadactl simulate --base`.
        pub simulate: Option<SimulateSettings>,
    }
}

document! {
    /// The replay of a change of policies, through those of the base branch and those of the change.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SimulateSettings = "simulate" {
        /// Files, directories and patterns of policies, the same in both.
        pub policies: Vec<String> => SOME_PATHS,
        /// Files, directories and patterns of histories, those of the change.
        pub history: Vec<String> => SOME_PATHS,
        /// More flags of `simulate`, a word each: `[--queue-policies, "infra,training"]`.
        /// Files in them are relative to the working directory.
        pub flags: Vec<String> = Vec::new() => PATHS,
    }
}

document! {
    /// The bounds of a job's worst case: if every attempt fails with the failure that is retried longest.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct BoundSettings = "bounds" {
        /// The maximum of attempts, the first one included.
        pub attempts: Option<u64> => Kind::Whole { min: 1, max: u32::MAX as i128, code: Code::OutOfRange },
        /// The maximum of the sum of all waits before retries.
        pub wait: Option<GoDuration>,
        /// The maximum of the last attempt's memory, as a multiple of the first one's.
        pub memory_factor as "memoryFactor": Option<f64>
            => Kind::Number { min: 1.0, above: false, code: Code::OutOfRange },
        /// The time that a disruption takes which the waits before retries should outlast.
        pub outage: Option<GoDuration>,
    }
}

/// Other severities of findings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Severities(pub Vec<(Code, Severity)>);

impl FieldValue for Severities {
    const KIND: Kind = Kind::Map(&Severity::KIND);

    fn from_node(node: &Node) -> Option<Self> {
        let entries = node.entries().iter();
        let severity =
            |entry: &Entry| Some((Code::from_id(&entry.key)?, Severity::from_node(&entry.value)?));
        Some(Self(entries.filter_map(severity).collect()))
    }
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

impl FieldValue for CodePrefix {
    const KIND: Kind = Kind::SomeText;

    fn from_node(node: &Node) -> Option<Self> {
        Self::parse(node.text()?)
    }
}

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
    check(source, &document.root, LintConfig::SHAPE, KeyCase::Exact, &mut findings);
    if findings.has_errors() {
        return (None, findings);
    }
    Check { document, findings: &mut findings }.check();
    let config = LintConfig::read(&document.root);
    if findings.has_errors() { (None, findings) } else { (Some(config), findings) }
}

/// The check of ids and patterns of files, beyond the types of fields.
struct Check<'a> {
    document: &'a Document,
    findings: &'a mut Findings,
}

impl Check<'_> {
    fn check(&mut self) {
        let root = &self.document.root;
        let items = |key| root.get(key).map(Node::items).unwrap_or_default();
        for item in items("select").iter().chain(items("ignore")) {
            if CodePrefix::from_node(item).is_none() {
                self.refuse(item, CodePrefix::explain_unknown(item.text().unwrap_or_default()));
            }
        }
        for item in items("exclude") {
            if let Err(error) = glob::Pattern::new(item.text().unwrap_or_default()) {
                let message = format!("`exclude`: not a pattern of file names: {}", error.msg);
                let help = "write a path in which `*`, `**` and `?` match any characters";
                self.refuse(item, (message, help.to_owned()));
            }
        }
        let severities = root.get("severity").map(Node::entries).unwrap_or_default();
        for entry in severities.iter().filter(|entry| Code::from_id(&entry.key).is_none()) {
            self.refuse_key(entry);
        }
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
            severity: Severities(vec![(Code::UnusedSuppression, Severity::Info)]),
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
