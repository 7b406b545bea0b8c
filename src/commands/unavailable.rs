//! Names that this version does not have: planned commands and flags, and commands of Armada's own
//! tool.

use crate::cli::Refusal;

/// Planned commands, by their words.
pub(super) const COMMANDS: [&[&str]; 2] = [&["compare"], &["watch"]];

/// Planned flags, by command.
pub(super) const FLAGS: [(&str, &[&str]); 1] = [("simulate", &["report"])];

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
    if COMMANDS.iter().any(|command| words.starts_with(command)) {
        let length = if words.first() == Some(&"explain") { 2 } else { 1 };
        let name = words.iter().take(length).copied().collect::<Vec<_>>().join(" ");
        return Some(refuse(&name, "`armadactl help` lists the commands there are"));
    }
    let own = words.first().filter(|word| ARMADAS_OWN.contains(word))?;
    let message = format!("`{own}` is a command of Armada's own armadactl, not of this one");
    Some(Refusal::usage(message).help("run Armada's own for it; this one handles retry policies"))
}

/// The refusal of a planned flag of a command.
pub(super) fn unavailable_flag(command: &str, flag: &str) -> Option<Refusal> {
    let long = flag.strip_prefix("--")?;
    let (_, flags) = FLAGS.iter().find(|(name, _)| *name == command)?;
    let help = format!("`armadactl help {command}` lists the flags there are");
    flags.contains(&long).then(|| refuse(&format!("{command} {flag}"), &help))
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
