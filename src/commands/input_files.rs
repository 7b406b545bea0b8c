//! The files that a command reads, as arguments or with `-f`.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use std::ops::Deref;
use std::path::PathBuf;

/// The id of the arguments, of which commands set the help.
pub(super) const ARGUMENTS: &str = "arguments";
/// The id of the flag.
const FLAG: &str = "files";

/// The files, directories and `-`, in the order of the command line. For commands whose arguments are nothing else.
#[derive(Debug, Clone, Default)]
pub struct InputFiles(Vec<PathBuf>);

impl Deref for InputFiles {
    type Target = [PathBuf];

    fn deref(&self) -> &[PathBuf] {
        &self.0
    }
}

impl InputFiles {
    fn arguments() -> Arg {
        let arg = Arg::new(ARGUMENTS).value_name("FILE").num_args(1..).action(ArgAction::Append);
        arg.value_parser(value_parser!(PathBuf)).required_unless_present(FLAG)
    }

    fn flag() -> Arg {
        let arg = Arg::new(FLAG).short('f').long("filename").value_name("FILE").num_args(1..);
        arg.action(ArgAction::Append)
            .value_parser(value_parser!(PathBuf))
            .help("The same as FILE, also together with it (repeatable)")
    }
}

impl Args for InputFiles {
    fn augment_args(command: Command) -> Command {
        command.arg(Self::arguments()).arg(Self::flag())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for InputFiles {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut files: Vec<(usize, PathBuf)> = Vec::new();
        for id in [ARGUMENTS, FLAG] {
            let indices = matches.indices_of(id).into_iter().flatten();
            let values = matches.get_many::<PathBuf>(id).into_iter().flatten();
            files.extend(indices.zip(values.cloned()));
        }
        // clap returns arguments and flags apart; the order of the command line is that of the files.
        files.sort_by_key(|(index, _)| *index);
        Ok(Self(files.into_iter().map(|(_, file)| file).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Vec<PathBuf>, clap::Error> {
        let command = InputFiles::augment_args(Command::new("x"));
        let matches = command.try_get_matches_from(line.split(' '))?;
        Ok(InputFiles::from_arg_matches(&matches)?.to_vec())
    }

    #[test]
    fn files_of_arguments_and_of_the_flag_are_in_the_order_of_the_line() {
        for (line, files) in [
            ("x a b", "a b"),
            ("x -f a b -f c", "a b c"),
            ("x a -f b c", "a b c"),
            ("x -f a -- b", "a b"),
            ("x - -f a", "- a"),
            ("x --filename=a b", "a b"),
        ] {
            let files: Vec<PathBuf> = files.split(' ').map(PathBuf::from).collect();
            assert_eq!(read(line).unwrap(), files, "{line}");
        }
        assert!(read("x").is_err());
    }
}
