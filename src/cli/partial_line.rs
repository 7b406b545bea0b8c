//! Command lines that are incomplete or invalid, read for completion and for error messages.

use clap::{Arg, Command};

/// The words of a command line: its command, its positional words and its flags.
pub(crate) struct PartialLine<'c> {
    /// The command, the deepest that the words name.
    pub command: &'c Command,
    /// The names of the commands down to it, without the program's.
    pub path: Vec<String>,
    /// The words that are neither commands nor flags nor values of flags.
    pub positionals: Vec<String>,
    /// The flags, with their values.
    pub flags: Vec<String>,
    /// A flag whose value is the next word.
    pub flag_without_value: Option<&'c Arg>,
}

impl<'c> PartialLine<'c> {
    /// Reads the words after the program's name. `root` has to be built.
    pub fn read<'w>(root: &'c Command, words: impl IntoIterator<Item = &'w str>) -> Self {
        let (path, positionals, flags) = (Vec::new(), Vec::new(), Vec::new());
        let mut line = Self { command: root, path, positionals, flags, flag_without_value: None };
        for word in words {
            line.word(word);
        }
        line
    }

    fn word(&mut self, word: &str) {
        if self.flag_without_value.take().is_some() {
            self.flags.push(word.to_owned());
        } else if let Some(long) = word.strip_prefix("--").filter(|long| !long.is_empty()) {
            self.flags.push(word.to_owned());
            let arg = if long.contains('=') { None } else { self.long(long) };
            self.flag_without_value = arg.filter(|arg| arg.get_action().takes_values());
        } else if let Some(short) = word.strip_prefix('-').filter(|short| !short.is_empty()) {
            self.flags.push(word.to_owned());
            self.flag_without_value = self.pending_short(short);
        } else if let (true, Some(command)) =
            (self.positionals.is_empty(), self.command.find_subcommand(word))
        {
            self.command = command;
            self.path.push(command.get_name().to_owned());
        } else {
            self.positionals.push(word.to_owned());
        }
    }

    /// The flag of this long name.
    pub fn long(&self, name: &str) -> Option<&'c Arg> {
        long_flag(self.command, name)
    }

    /// The flag among joined short ones whose value is the next word; only the last one can have a value.
    fn pending_short(&self, cluster: &str) -> Option<&'c Arg> {
        let mut letters = cluster.chars();
        let takes = |letter: char| {
            let mut args = self.command.get_arguments();
            args.find(|arg| arg.get_short() == Some(letter))
                .filter(|arg| arg.get_action().takes_values())
        };
        let arg = letters.find_map(takes)?;
        letters.next().is_none().then_some(arg)
    }
}

/// The flag of a command with this long name.
pub(crate) fn long_flag<'c>(command: &'c Command, name: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|arg| {
        arg.get_long() == Some(name)
            || arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
    })
}
