//! The audit against brute force: all pods over a small alphabet, through the executor itself.

mod configs;
mod growth;
mod pods;
mod policies;

use super::*;
use armada_retry::policy;
use configs::random_config;
use document::diag::{Code, Source};
use pods::emitted;
use policies::{expected, pairs, random_policy};
use proptest::prelude::*;

fn rule_count(config: &ExecutorConfig) -> usize {
    config.categories.categories.iter().map(|category| category.rules.len()).sum()
}

/// A tenth of the usual number, since a case tries 100,000 pods. `PROPTEST_CASES=2000` tries 200 cases.
fn cases() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases / 10, ..usual }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn what_rules_reach_is_what_all_pods_show(
        random in random_config(&["", ".*", "a", "b", "ab"]),
    ) {
        let config = random.read();
        let rules = rule_count(&config);
        let emitted = emitted(&config, rules);
        let reach = Reach::new(&config);
        for number in 0..=rules {
            let reached = reach.reach_rule(number);
            for (is_kept, certainty) in [(true, reached.kept), (false, reached.deleted)] {
                let expected = if emitted.contains(&(number, is_kept)) {
                    Certainty::Exists
                } else {
                    Certainty::Never
                };
                prop_assert_eq!(certainty, expected, "rule {} kept {}:\n{}", number, is_kept, random.yaml());
            }
        }
    }

    #[test]
    fn nothing_is_claimed_wrongly_of_other_patterns(
        random in random_config(&["", "a", "ab", "^a$", "a+", "[ab]", "(?i)A", "^.$", "b|a", "^$"]),
    ) {
        let config = random.read();
        let rules = rule_count(&config);
        let emitted = emitted(&config, rules);
        let reach = Reach::new(&config);
        for number in 0..=rules {
            let reached = reach.reach_rule(number);
            for (is_kept, certainty) in [(true, reached.kept), (false, reached.deleted)] {
                let is_emitted = emitted.contains(&(number, is_kept));
                let is_wrong = match certainty {
                    Certainty::Never => is_emitted,
                    Certainty::Exists => !is_emitted,
                    Certainty::Unknown => false,
                };
                prop_assert!(!is_wrong, "rule {} kept {}: {:?}\n{}", number, is_kept, certainty, random.yaml());
            }
        }
    }

    #[test]
    fn findings_are_those_that_definitions_give(
        random in random_config(&["", ".*", "a", "b", "ab"]),
        random_policies in prop::collection::vec(random_policy(), 1..3),
    ) {
        let config = random.read();
        let rules = rule_count(&config);
        let emitted = emitted(&config, rules);
        let expected = expected(rules, &emitted, &pairs(&config, &emitted), &random_policies);
        let sources: Vec<_> = random_policies
            .iter()
            .enumerate()
            .map(|(file, policy)| Source::new(format!("p{file}.yaml"), policy.yaml(&format!("p{file}"))))
            .collect();
        let (documents, findings) = policy::read(&sources);
        prop_assert!(!findings.has_errors(), "{:?}", findings.sorted());
        let clusters = [ClusterConfig { cluster: None, config }];
        let mut found: Vec<String> = audit(&clusters, &documents.policies)
            .iter()
            .map(|finding| {
                let place = finding.place.as_ref().expect("it has a place");
                let (id, file) = (finding.code.id(), place.source.name());
                match finding.code {
                    Code::NotHandled => {
                        format!("{id} {}", finding.message.split('`').nth(1).unwrap_or_default())
                    }
                    _ if file == "executor.yaml" => format!("{id} {file}"),
                    _ => format!("{id} {file} {}", place.start().line),
                }
            })
            .collect();
        found.sort();
        prop_assert_eq!(found, expected, "{}", random.yaml());
    }
}
