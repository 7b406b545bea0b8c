//! Names that this version does not have: planned commands and flags, and commands of Armada's own
//! tool.

use crate::cli::Refusal;

/// Planned commands, each with what does it, or part of it, until then.
pub(super) const COMMANDS: [(&str, &str); 6] = [
    (
        "compare",
        "`simulate -f OLD --variant new=NEW --history HISTORY` compares policies on recorded failures",
    ),
    (
        "watch",
        "Armada's own `armadactl watch QUEUE JOBSET --raw` prints events, which `simulate --history` reads",
    ),
    (
        "history",
        "`simulate --history` reads histories; docs/sources.md has the command that writes each",
    ),
    ("login", "credentials are read from the config file: `armadactl config view` prints them"),
    ("logout", "credentials are read from the config file: `armadactl config view` prints them"),
    ("whoami", "`armadactl version --server` checks the credentials of the context"),
];

/// Planned flags, by command, each with what does it until then.
pub(super) const FLAGS: [(&str, &[(&str, &str)]); 1] = [(
    "simulate",
    &[("report", "`-o json` prints all figures; `validate`, `lint` and `test` have `--report`")],
)];

/// Commands of Armada's own tool that this one does not have.
pub(super) const ARMADAS_OWN: [&str; 10] = [
    "submit",
    "cancel",
    "preempt",
    "reprioritize",
    "reprioritise",
    "analyze",
    "kube",
    "scheduling-report",
    "queue-report",
    "job-report",
];

/// The refusal of a command that this version does not have, if the words name one.
pub(super) fn unavailable_command(words: &[&str]) -> Option<Refusal> {
    let first = words.first()?;
    if let Some((name, instead)) = COMMANDS.iter().find(|(name, _)| name == first) {
        return Some(refuse(name, instead));
    }
    ARMADAS_OWN.contains(first).then(|| {
        let message = format!("`{first}` is a command of Armada's own armadactl, not of this one");
        Refusal::usage(message).help("run Armada's own for it; this one handles retry policies")
    })
}

/// The refusal of a planned flag of a command.
pub(super) fn unavailable_flag(command: &str, flag: &str) -> Option<Refusal> {
    let long = flag.strip_prefix("--")?;
    let (_, flags) = FLAGS.iter().find(|(name, _)| *name == command)?;
    let (_, instead) = flags.iter().find(|(name, _)| *name == long)?;
    Some(refuse(&format!("{command} {flag}"), instead))
}

fn refuse(name: &str, help: &str) -> Refusal {
    Refusal::usage(format!("`{name}` is not available in this version")).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unavailable_names_are_refused_and_others_are_not() {
        let message = |words: &[&str]| unavailable_command(words).map(|refusal| refusal.message);
        let of = |name: &str| Some(format!("`{name}` is not available in this version"));
        assert_eq!(message(&["compare", "x"]), of("compare"));
        assert_eq!(message(&["explain", "retrypolicy"]), None);
        assert!(message(&["submit"]).unwrap().contains("Armada's own armadactl"));
        assert!(unavailable_flag("simulate", "--report").is_some());
        assert!(unavailable_flag("simulate", "--records").is_none());
        assert!(unavailable_flag("explain", "--report").is_none());
    }
}
