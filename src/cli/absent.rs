//! Names that users may type and that this version does not have: planned ones, and commands of
//! Armada's own tool.

use super::Refusal;

/// Planned commands, by their words.
const COMMANDS: [&[&str]; 6] =
    [&["lint"], &["fmt"], &["test"], &["compare"], &["watch"], &["explain", "category"]];

/// Planned flags, by command.
const FLAGS: [(&str, &[&str]); 2] = [
    ("simulate", &["executor-config", "live", "changes", "samples", "requeue", "record", "report"]),
    ("validate", &["report"]),
];

/// Commands of Armada's own tool that this one does not have.
const ARMADAS_OWN: [&str; 10] = [
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
pub(crate) fn absent_command(words: &[&str]) -> Option<Refusal> {
    if COMMANDS.iter().any(|command| words.starts_with(command)) {
        let length = if words.first() == Some(&"explain") { 2 } else { 1 };
        let name = words.iter().take(length).copied().collect::<Vec<_>>().join(" ");
        return Some(unavailable(&name, "`armadactl help` lists the commands there are"));
    }
    let own = words.first().filter(|word| ARMADAS_OWN.contains(word))?;
    let message = format!("`{own}` is a command of Armada's own armadactl, not of this one");
    Some(Refusal::usage(message).help("run Armada's own for it; this one handles retry policies"))
}

/// The refusal of a planned flag of a command.
pub(crate) fn absent_flag(command: &str, flag: &str) -> Option<Refusal> {
    let long = flag.strip_prefix("--")?;
    let (_, flags) = FLAGS.iter().find(|(name, _)| *name == command)?;
    let help = format!("`armadactl help {command}` lists the flags there are");
    flags.contains(&long).then(|| unavailable(&format!("{command} {flag}"), &help))
}

fn unavailable(name: &str, help: &str) -> Refusal {
    Refusal::usage(format!("`{name}` is not available in this version")).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, line};
    use clap::CommandFactory;

    #[test]
    fn no_command_or_flag_there_is_counts_as_absent() {
        let mut root = Cli::command();
        root.build();
        for words in COMMANDS {
            let found = words.iter().try_fold(&root, |at, word| at.find_subcommand(word));
            assert!(found.is_none(), "{words:?} is there: take it out of COMMANDS");
        }
        for (name, flags) in FLAGS {
            let command = root.find_subcommand(name).expect("a command");
            for flag in flags {
                let found = line::long(command, flag);
                assert!(found.is_none(), "{name} --{flag} is there: take it out of FLAGS");
            }
        }
        for word in ARMADAS_OWN {
            assert!(root.find_subcommand(word).is_none(), "{word} is there");
        }
    }

    #[test]
    fn absent_names_are_refused_and_others_are_not() {
        let message = |words: &[&str]| absent_command(words).map(|refusal| refusal.message);
        let of = |name: &str| Some(format!("`{name}` is not available in this version"));
        assert_eq!(message(&["lint", "x"]), of("lint"));
        assert_eq!(message(&["explain", "category"]), of("explain category"));
        assert_eq!(message(&["explain", "retrypolicy"]), None);
        assert!(message(&["submit"]).unwrap().contains("Armada's own armadactl"));
        assert!(absent_flag("simulate", "--record").is_some());
        assert!(absent_flag("simulate", "--clusters").is_none());
        assert!(absent_flag("explain", "--cluster").is_none());
    }
}
