//! Retry policies, queues and scheduler settings: reading of documents into types, and printing as YAML.
//!
//! Owns the forms of these documents (`armadaproject.io/v1` and `v1beta1`), their validation
//! and the types that the engine is compiled from. It does not evaluate anything.

mod change;
mod common_failure;
pub mod convert;
mod cover;
mod dispatch;
mod documents;
mod file;
mod foreign_items;
mod foreign_shape;
mod group;
mod head;
mod lists;
mod model;
mod name;
mod print;
mod queue;
mod reachability;
mod relevance;
mod scheduler;
mod scheduler_keys;
mod scheduler_shape;
mod v1;
mod v1beta1;
pub mod wire;

use document::diag::{Code, Diagnostic, Findings};

pub use change::PolicyChange;
pub(crate) use common_failure::{CommonFailure, Pair, ReadContainer, Symptoms, Texts};
pub use cover::{Coverage, coverage};
pub use documents::{
    Documents, ForeignKind, ForeignShape, OtherDocument, OtherKinds, PolicyDocument, QueueDocument,
    Selection, WITHOUT_KIND,
};
pub use file::{read, read_selected, read_with_foreign};
pub use model::{
    Action, AntiAffinity, Backoff, Condition, ExitCodes, Form, Matcher, MemoryBump, Operator,
    RetryPolicy, Rule,
};
pub use name::{PolicyName, is_name};
pub use print::{quoted, to_value};
pub use queue::{QUEUE_FIELDS, Queue};
pub(crate) use reachability::{Prepared, Scope};
pub use reachability::{ReachingFailure, RuleSet};
pub use scheduler::{
    SchedulerSettings, read_scheduler_config, read_scheduler_document, read_settings,
};
pub use v1beta1::report_unsupported_by_v1beta1;

/// The shapes of the documents that this module reads, by kind and API version.
pub mod shapes {
    pub use super::queue::{QUEUE_V1, QUEUE_V1BETA1};
    pub use super::scheduler_shape::{SCHEDULING as RETRY_SCHEDULING, SETTINGS, SUBMISSION};
    pub use super::v1::POLICY_V1;
    pub use super::v1beta1::POLICY_V1BETA1;
}

/// Warns of `v1beta1` policies with a Retry action that never retry, because an absent `retryLimit` is 0
/// (semantics.md, section 1).
pub fn warn_of_absent_limits(documents: &Documents, findings: &mut Findings) {
    findings.extend(documents.policies.iter().filter_map(v1beta1::absent_limit_warning));
}

/// Warns of policies of a `v1beta1` queue that have no effect, which are all but the first (semantics.md,
/// section 1).
pub fn warn_of_second_policies(documents: &Documents, findings: &mut Findings) {
    findings.extend(
        documents.queues.iter().filter_map(|it| queue::unused_policies_warning(&it.document)),
    );
}

/// Warns of the lists that Armada's own `armadactl create -f` refuses; their items can be read.
pub fn warn_of_lists(documents: &Documents, findings: &mut Findings) {
    for place in &documents.lists_refused_by_armada {
        let message = "Armada's own `armadactl` prints this list, but its `create -f` refuses it";
        findings.push(
            Diagnostic::warning(Code::UnknownDocument, place.clone(), message)
                .help("write each object as a separate document; here `apply -f` takes the list"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::diag::{Code, Source};

    fn ids(yaml: &str) -> Vec<&'static str> {
        let (_, findings) = read(&[Source::new("p.yaml", yaml)]);
        findings.sorted().iter().map(|finding| finding.code.id()).collect()
    }

    const GOOD: &str = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec:\n  rules:\n  - action: Retry\n    onConditions: [Evicted]\n";

    #[test]
    fn a_valid_policy_is_read() {
        let (documents, findings) = read(&[Source::new("p.yaml", GOOD)]);
        assert!(findings.is_empty());
        let policy = &documents.policies[0].policy;
        assert_eq!(policy.rules[0].conditions, [Condition::Evicted]);
        assert_eq!(policy.default_action(), Action::Fail);
    }

    #[test]
    fn every_mistake_is_found_in_one_pass() {
        let yaml = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: Bad}\nspec:\n  retry_limit: 3\n  retryLimit: -1\n  rules:\n  - action: Rerun\n    onConditions: []\n  - action: Retry\n  - action: Retry\n    onTerminationMessage: {pattern: 'a(?=b)'}\n";
        let found = ids(yaml);
        for code in [
            Code::BadName,
            Code::UnknownField,
            Code::OutOfRange,
            Code::NotAChoice,
            Code::EmptyList,
            Code::NoMatcher,
            Code::BadPattern,
        ] {
            assert!(found.contains(&code.id()), "{} in {found:?}", code.id());
        }
    }

    #[test]
    fn the_column_of_a_bad_pattern_is_that_in_the_file() {
        let yaml =
            format!("{GOOD}  - action: Retry\n    onTerminationMessage: {{pattern: 'a(?=b)'}}\n");
        let (_, findings) = read(&[Source::new("p.yaml", yaml)]);
        let place = findings.iter().next().unwrap().place.clone().unwrap();
        assert_eq!((place.start().line, place.start().column), (9, 39));
    }

    #[test]
    fn two_policies_of_one_name_are_refused() {
        assert_eq!(ids(&format!("{GOOD}---\n{GOOD}")), ["RP014"]);
    }

    #[test]
    fn armadas_spellings_are_taken_with_a_warning() {
        let yaml = "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: p\nRetryLimit: 2\ndefaultAction: RETRY_ACTION_FAIL\nrules:\n- {action: 2, onCategory: x, onSubcategory: ''}\n- {action: rETRY, onCategory: gpu}\n";
        let (documents, findings) = read(&[Source::new("p.yaml", yaml)]);
        assert!(!findings.has_errors());
        assert_eq!(findings.len(), 4);
        let policy = &documents.policies[0].policy;
        assert_eq!((policy.limit(), policy.default_action()), (Some(2), Action::Fail));
        assert!(policy.rules.iter().all(|rule| rule.action == Action::Retry));
        assert!(policy.rules[0].subcategories.is_empty());
    }

    #[test]
    fn printing_and_reading_again_changes_nothing() {
        let (documents, _) = read(&[Source::new("p.yaml", GOOD)]);
        let policy = &documents.policies[0].policy;
        let (again, findings) = read(&[Source::new("q.yaml", to_value(policy).to_string())]);
        assert!(findings.is_empty());
        assert_eq!(again.policies[0].policy, *policy);
    }
}
