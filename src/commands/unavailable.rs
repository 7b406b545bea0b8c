//! Names that this version does not have: commands, kinds and flags of Armada's own tool.

use crate::cli::Refusal;

/// Commands of Armada's own tool that this one does not have.
pub(super) const ARMADAS_OWN: [&str; 11] = [
    "submit",
    "cancel",
    "preempt",
    "reprioritize",
    "reprioritise",
    "analyze",
    "docs",
    "kube",
    "scheduling-report",
    "queue-report",
    "job-report",
];

/// Kinds of resources that commands of Armada's own tool take and those of this one do not.
const ARMADAS_KINDS: [&str; 7] =
    ["scheduling-report", "queue-report", "job-report", "executor", "executors", "node", "nodes"];

/// Flags of Armada's own tool, by its commands that this one has too, and what to use here.
const ARMADAS_FLAGS: [(&[&str], &str, &str); 7] = [
    (&["get", "cordon", "uncordon"], "match-labels", "use `-l KEY=VALUE`"),
    (&["get", "cordon", "uncordon"], "inverse", "use `-l` with `KEY!=VALUE` or `!KEY`"),
    (&["get", "cordon", "uncordon"], "match-queues", "write the names of the queues as arguments"),
    (
        &["get", "cordon", "uncordon"],
        "only-cordoned",
        "`get queue -o json` prints `cordoned` of each queue",
    ),
    (&["watch"], "raw", "`-o json` prints the lines of the server"),
    (&["watch"], "exit-if-inactive", "`--no-follow` ends after the last event that there is"),
    (&["cordon", "uncordon"], "queues", "write the names of the queues as arguments"),
];

/// The refusal of a command that this version does not have, if the words name one.
pub(super) fn unavailable_command(words: &[&str]) -> Option<Refusal> {
    let first = words.first()?;
    ARMADAS_OWN.contains(first).then(|| armadas_own(first, "command"))
}

/// The refusal of a kind of resource that only commands of Armada's own tool take, such as `get queue-report`.
pub(super) fn unavailable_kind(command: &str, kind: &str) -> Option<Refusal> {
    let own = ARMADAS_KINDS.contains(&kind.to_lowercase().as_str());
    own.then(|| armadas_own(&format!("{command} {kind}"), "command"))
}

/// The refusal of a flag that only Armada's own tool has.
pub(super) fn unavailable_flag(command: &str, flag: &str) -> Option<Refusal> {
    let long = flag.strip_prefix("--")?.split('=').next()?;
    let name = format!("{command} --{long}");
    let is_own =
        |(commands, own, _): &&(&[&str], &str, &str)| commands.contains(&command) && *own == long;
    let (.., help) = ARMADAS_FLAGS.iter().find(is_own)?;
    Some(armadas_own(&name, "flag").help(*help))
}

fn armadas_own(name: &str, what: &str) -> Refusal {
    let message = format!("`{name}` is a {what} of Armada's own armadactl, not of this one");
    Refusal::usage(message).help("run Armada's own for it; this one handles retry policies")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unavailable_names_are_refused_and_others_are_not() {
        let message = |words: &[&str]| unavailable_command(words).map(|refusal| refusal.message);
        assert_eq!(message(&["explain", "retrypolicy"]), None);
        assert!(message(&["submit"]).unwrap().contains("Armada's own armadactl"));
        assert!(unavailable_flag("simulate", "--report").is_none());
        assert!(unavailable_flag("explain", "--report").is_none());
        let flag = unavailable_flag("get", "--inverse").unwrap();
        assert!(flag.message.contains("`get --inverse` is a flag of Armada's own"), "{flag}");
        assert!(unavailable_flag("delete", "--inverse").is_none());
        assert!(unavailable_kind("get", "queue-report").is_some());
        assert!(unavailable_kind("get", "queue").is_none());
    }
}
