//! A policy that is printed and read again is the same policy.

use super::oracle;
use armada_retry::policy;
use document::diag::Source;

#[test]
fn printing_and_reading_again_changes_nothing() {
    let mut compared = 0;
    for seed in 0..2_000 {
        for document in oracle::case(seed).policies {
            let (found, findings) = policy::read(&[Source::new("p.json", document.to_string())]);
            assert!(!findings.has_errors(), "seed {seed}: {:?}", findings.sorted());
            let [found] = found.policies.as_slice() else { panic!("seed {seed}: one policy") };
            let printed = serde_yaml::to_string(&policy::to_value(&found.policy)).expect("YAML");
            let (again, findings) = policy::read(&[Source::new("p.yaml", printed.as_str())]);
            assert!(findings.is_empty(), "seed {seed}: {:?}\n{printed}", findings.sorted());
            assert_eq!(again.policies[0].policy, found.policy, "seed {seed}\n{printed}");
            compared += 1;
        }
    }
    assert!(compared > 2_000, "{compared} policies were compared");
}
