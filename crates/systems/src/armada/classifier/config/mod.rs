//! The configuration of Armada's executor: files to types, what the executor refuses at startup, and what it accepts
//! without the effect that its author meant.
//!
//! Several files are merged in their order, below them the executor's own `config/executor/config.yaml`: mappings
//! merge, and lists replace. All mistakes are reported; the first one is that with which the executor stops.

mod decode;
mod known_keys;
mod model;
mod read;
mod startup;
mod value;
mod warnings;

pub use model::{
    CategoryConfig, ErrorCategories, EventConfig, ExecutorConfig, ExitCodesConfig,
    FailedChecksConfig, FailedContainerConfig, PendingCheckConfig, PendingChecksConfig,
    PodStatusConfig, RuleConfig, Text,
};
pub use startup::Fault;
use startup::pending_check_faults;
pub use startup::{category_faults, failed_check_faults};
pub use warnings::disabled_warning;

use decode::{Decoder, UnusedKey};
use document::diag::{Code, Diagnostic, Findings, Place, Severity, Source, Span};
use document::{Limits, other_kind_error, parse};
use std::sync::{Arc, LazyLock};
use value::Value;

/// The executor's own configuration, below the files of its operator.
static BASE: LazyLock<Value> = LazyLock::new(|| {
    let source = Source::new("config/executor/config.yaml", include_str!("base.yaml"));
    let (documents, _) = parse(&source, Limits::POLICY);
    Value::from_document(&documents[0], &mut Findings::new())
});

/// The part of the startup at which an executor stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// A file is not YAML.
    Yaml,
    /// A value has the wrong type.
    Decode,
    /// A check of pods that do not start is invalid.
    PendingPodChecks,
    /// A check of failed pods is invalid.
    FailedPodChecks,
    /// A category is invalid.
    ErrorCategories,
}

/// The files of an executor.
#[derive(Debug)]
pub struct ReadConfig {
    /// The configuration, if it could be decoded.
    pub config: Option<ExecutorConfig>,
    /// Where and with which words the executor stops at startup, if it does.
    pub stop: Option<(Stage, String)>,
    /// The keys that the executor reports as unused, in its notation.
    pub unused: Vec<String>,
    /// All findings.
    pub findings: Findings,
}

/// Reads the files of one executor, each laid over those before it.
pub fn read(sources: &[Arc<Source>]) -> ReadConfig {
    let mut findings = Findings::new();
    let mut root = BASE.clone();
    let mut lists = Vec::new();
    for source in sources {
        if let Some(value) = value_of(source, &mut findings) {
            root.merge(value, &mut lists);
        }
    }
    if let Some(error) = findings.iter().find(|finding| finding.severity == Severity::Error) {
        let stop = Some((Stage::Yaml, format!("While parsing config: {}", error.message)));
        return ReadConfig { config: None, stop, unused: Vec::new(), findings };
    }
    let mut decoder = Decoder::default();
    let first = sources.first().map(|source| Place::new(source, Span::default()));
    let first = first.unwrap_or_else(|| root.place.clone());
    // Defaults have places in the executor's own file, which an operator cannot change.
    let is_of_operator =
        |place: &Place| sources.iter().any(|source| Arc::ptr_eq(source, &place.source));
    let section = root.at(&["application", "errorcategories"]);
    let enabled = section.and_then(|section| section.entry("enabled")).map(|entry| &entry.place);
    let enabled = enabled.filter(|place| is_of_operator(place)).unwrap_or(&first);
    let mut config = read::executor_config(&mut decoder, &root, enabled);
    if !is_of_operator(&config.tracked_labels.place) {
        config.tracked_labels.place = first.clone();
    }
    let Decoder { findings: more, mut unused, first_error } = decoder;
    known_keys::add_unused(&root, &mut unused);
    findings.extend(more);
    findings.extend(warnings::warn_unused_keys(&unused));
    findings.extend(warnings::warn_replaced_lists(&lists, sources));
    let unused_names = unused.iter().map(UnusedKey::path).collect();
    // The first error only, as the executor stops there.
    if let Some(error) = first_error {
        let message = format!("decoding failed due to the following error(s):\n\n{error}");
        let stop = Some((Stage::Decode, message));
        return ReadConfig { config: None, stop, unused: unused_names, findings };
    }
    findings.extend(warnings::warn_values(&config));
    let stop = check_startup(&config, &mut findings);
    ReadConfig { config: Some(config), stop, unused: unused_names, findings }
}

/// The value of a file: its first document. A file without one sets nothing.
fn value_of(source: &Arc<Source>, findings: &mut Findings) -> Option<Value> {
    let (documents, more) = parse(source, Limits::POLICY);
    findings.extend(more);
    if let Some(second) = documents.get(1) {
        let span = second.root.span.first_line(source.text());
        let message = "the executor reads only the first document of a file";
        findings.push(
            Diagnostic::warning(Code::DuplicateDocument, second.place(span), message)
                .help("put both into one document"),
        );
    }
    let first = documents.first()?;
    let content = "application.errorCategories";
    if let Some(error) = other_kind_error(first, None, "an executor's configuration", content) {
        findings.push(error);
        return None;
    }
    let value = Value::from_document(first, findings);
    if !matches!(value.kind, value::ValueKind::Map(_)) {
        let place = first.place(first.root.span.first_line(source.text()));
        let message = "this is not an executor's configuration";
        findings.push(
            Diagnostic::error(Code::UnknownDocument, place, message)
                .help("it is a mapping with `application.errorCategories`"),
        );
    }
    Some(value)
}

/// Adds the findings about what is checked at startup; returns where and with which words the executor stops.
fn check_startup(config: &ExecutorConfig, findings: &mut Findings) -> Option<(Stage, String)> {
    let of_pending = pending_check_faults(&config.pending_checks);
    let of_checks = failed_check_faults(&config.failed_checks);
    let mut of_categories = category_faults(&config.categories);
    let is_enabled = config.categories.enabled;
    let first_of = |faults: &[Fault], stage, part: &str| {
        let first = faults.first()?;
        Some((stage, format!("Config error in {part}: {}", first.message)))
    };
    let pending = first_of(&of_pending, Stage::PendingPodChecks, "pending pod checks");
    let failed = first_of(&of_checks, Stage::FailedPodChecks, "failed pod checks");
    let stop = pending.or(failed).or_else(|| {
        let first = first_of(&of_categories, Stage::ErrorCategories, "error categories");
        first.filter(|_| is_enabled)
    });
    if !is_enabled {
        // The executor does not check categories that are off, and starts.
        for fault in &mut of_categories {
            fault.finding.severity = Severity::Warning;
        }
    }
    let faults = of_pending.into_iter().chain(of_checks).chain(of_categories);
    findings.extend(faults.map(|fault| fault.finding));
    stop
}
