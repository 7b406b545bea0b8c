//! The kinds of documents that have a canonical layout.

use super::unit_test;
use armada_retry::policy::shapes;
use document::{Document, Extra, Formatted, KeyCase, Kind, Node, shapes};
use systems::{profile, profiles};

/// The kind of a document that has a canonical layout: policies, queues, profiles and tests. `None` for other documents,
/// which other programs write, and for lists of documents.
pub fn formatted_kind(document: &Document) -> Option<Formatted> {
    let root = &document.root;
    let text = |key| root.entry_in_any_case(key).and_then(|entry| entry.value.text());
    let (shape, keys) = match (text("kind")?, text("apiVersion")?) {
        // A list of policies.
        ("RetryPolicy", _) if root.entry_in_any_case("retryPolicies").is_some() => return None,
        ("RetryPolicy", "armadaproject.io/v1") => (&shapes::POLICY_V1, KeyCase::Exact),
        ("RetryPolicy", "armadaproject.io/v1beta1") => (&shapes::POLICY_V1BETA1, KeyCase::Folded),
        ("Queue", "armadaproject.io/v1") => (&shapes::QUEUE_V1, KeyCase::Exact),
        ("Queue", "armadaproject.io/v1beta1") => (&shapes::QUEUE_V1BETA1, KeyCase::Folded),
        (profile::KIND, profile::VERSION) => {
            let system = root.at(&["spec", "system"]).and_then(Node::text)?;
            let profile = profiles().find(|profile| profile.system == system)?;
            (profile.shape, KeyCase::Exact)
        }
        (unit_test::KIND, "armadaproject.io/v1") => (&TEST, KeyCase::Exact),
        _ => return None,
    };
    Some(Formatted { shape, keys })
}

shapes! {
    // The keys of tests below `spec` keep their order: a test is read from its failures to what is expected.
    /// Tests of retry policies.
    static TEST = "RetryPolicyTest" (extra: Extra::Ignored) {
        /// The form.
        optional apiVersion: Kind::Anything,
        /// The kind.
        optional kind: Kind::Anything,
        /// Not read.
        optional metadata: Kind::Anything,
        /// The policies and their tests.
        optional spec: Kind::Anything,
    }
}
