//! What each fuzz target does with an input. The tests replay the corpora through the same code.

use armada_retry::policy::{Documents, read, read_scheduler_config, read_with_foreign, to_value};
use armadactl::internals::findings::{Style, github, human};
use document::diag::{Findings, Source, short};
use document::pattern::Pattern;
use regex_automata::meta::{Config, Regex};
use systems::{
    ManifestSystem, Options, SystemName, foreign_kinds, profile, refuse_unknown_profile,
    with_system,
};

/// Memory for an automaton, in bytes: little, so that inputs stay fast.
const SMALL: usize = 1 << 20;
/// A longer pattern may nest so deep that a plain compilation, on a stack widened
/// by a sanitizer, runs out of it.
const SHALLOW: usize = 256;

/// No pattern makes the parser, the translation or a search panic.
///
/// The first line of the input is the pattern, the rest is the text; without a
/// line end the pattern is searched in itself.
pub fn pattern(input: &str) {
    let (pattern, text) = input.split_once('\n').unwrap_or((input, input));
    let parsed = match Pattern::parse(pattern) {
        Ok(parsed) => parsed,
        Err(error) => {
            assert!(pattern.get(error.span.clone()).is_some(), "{error:?}");
            assert!(!error.kind.help().is_empty(), "{error:?}");
            return;
        }
    };
    assert_eq!(parsed.as_str(), pattern);
    let hir = parsed.to_hir();
    if pattern.len() > SHALLOW {
        return;
    }
    let config = Config::new().nfa_size_limit(Some(SMALL));
    if let Ok(regex) = Regex::builder().configure(config).build_from_hir(&hir) {
        let text: String = text.chars().take(100).collect();
        let _ = regex.is_match(&text);
    }
}

/// No text makes the reader or a renderer panic, every finding stands in its text, and a policy
/// that is printed and read again is the same.
pub fn policy(text: &str) {
    let source = Source::new("fuzz.yaml", text);
    manifests(text);
    findings(text, read_scheduler_config(&source).1);
    let (documents, found) = read(&[source]);
    let errors = found.has_errors();
    findings(text, found);
    if errors {
        return;
    }
    for document in &documents.policies {
        let policy = &document.policy;
        let yaml = serde_yaml::to_string(&to_value(policy)).expect("a policy can be printed");
        let (again, findings) = read(&[Source::new("printed.yaml", yaml.as_str())]);
        assert!(findings.is_empty(), "{:?}\n{yaml}", findings.sorted());
        assert_eq!(again.policies[0].policy, *policy, "{yaml}");
    }
}

/// The same of manifests of other systems, and of policies among them.
fn manifests(text: &str) {
    let (documents, mut found) =
        read_with_foreign(&[Source::new("fuzz.yaml", text)], foreign_kinds());
    for system in SystemName::all() {
        with_system!(system, Armada => {}, S => read_all::<S>(&documents, &mut found));
    }
    for other in documents.others.iter().filter(|other| other.kind == profile::KIND) {
        refuse_unknown_profile(&other.document, &mut found);
    }
    findings(text, found);
}

/// Reads the manifests of a system, and makes its engine of those that are valid.
fn read_all<S: ManifestSystem>(documents: &Documents, found: &mut Findings) {
    let options = Options::default();
    let held = documents.others.iter().filter(|other| S::DESCRIPTION.has_document(other));
    let manifests: Vec<_> =
        held.filter_map(|other| S::read(&other.document, &options, found)).collect();
    if !manifests.is_empty() {
        let _ = S::engine(manifests, &options);
    }
}

/// Each finding has a place in its text, and no renderer prints a control character.
fn findings(text: &str, found: Findings) {
    let items = found.sorted();
    for item in &items {
        let place = item.place.as_ref().expect("a finding in a text has a place");
        assert!(text.get(place.span.range()).is_some(), "{item:?}");
        assert!(!item.message.is_empty(), "{item:?}");
    }
    for rendered in [human(&items, Style::Plain, Some(100)), short(&items), github(&items)] {
        let steering = |c: char| c.is_control() && c != '\n' && c != '\t';
        assert!(!rendered.contains(steering), "{rendered:?}");
    }
}
