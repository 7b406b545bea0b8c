//! The layout of help pages: what a command does, usage, examples, description, options, a reference
//! to the global options, exit codes.
//!
//! The definition of a command line has the parts only: examples in `before_long_help`, and sections
//! in `after_long_help`. They are arranged when help is printed, so that other commands start without
//! this work. Manual pages are made of the same parts.

use crate::cli::Globals;
use crate::report::wrap;
use crate::ui::Ui;
use clap::builder::{StyledStr, Styles};
use clap::{Arg, Args, Command, Id};

/// The groups of commands in the help, each with its title. The commands of a group are in the order of their use.
pub(super) const GROUPS: [(&str, &[&str]); 5] = [
    ("Try policies", &["simulate", "explain", "test", "compare", "history", "watch"]),
    ("Check and change files", &["validate", "lint", "fmt", "convert"]),
    (
        "Manage a server",
        &[
            "get", "apply", "diff", "create", "update", "edit", "delete", "attach", "detach",
            "cordon", "uncordon", "wait", "serve",
        ],
    ),
    ("Sign in", &["login", "logout", "whoami"]),
    ("Set up", &["config", "completion", "man", "version", "help"]),
];

/// Exit codes of commands that read no files and send no requests.
pub(super) const USAGE_EXITS: &str = "\
Exit codes:
  0  success
  2  invalid command line";

/// Exit codes of commands that read files and send no requests.
pub(super) const OFFLINE_EXITS: &str = "\
Exit codes:
  0  success
  2  invalid command line
  3  invalid input, or a name that does not exist";

/// Exit codes of commands that read from a server.
pub(super) const READ_EXITS: &str = "\
Exit codes:
    0  success
    2  invalid command line
    3  invalid configuration
    4  not authenticated, or not permitted
    5  a policy or queue does not exist on the server
    7  server unreachable or too slow, or an invalid answer
  130  interrupted";

/// Exit codes of commands that write to a server.
pub(super) const WRITE_EXITS: &str = "\
Exit codes:
    0  success
    2  invalid command line
    3  invalid input or configuration
    4  not authenticated, or not permitted
    5  a policy or queue does not exist on the server
    6  conflict, or refused
    7  server unreachable or too slow, or an invalid answer
  130  interrupted";

/// The title of the section with the exit codes.
pub(super) const EXIT_CODES: &str = "Exit codes";
/// The title of the section with environment variables.
pub(super) const ENVIRONMENT: &str = "Environment";
/// The title of the section with files.
pub(super) const FILES: &str = "Files";

/// The widest line of help, as in the definition of the command line.
const MAX_WIDTH: usize = 100;

const TEMPLATE: &str = "{about}\n\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

const GLOBAL_OPTIONS: &str =
    "Global options, such as --output, --context and --color: `armadactl help global`";

const GLOBALS_EXAMPLES: &str = "\
Examples:
  # Print the queues of the context `dev` as JSON
  armadactl get queue --context dev -o json

  # The same by environment variables
  ARMADACTL_CONTEXT=dev ARMADACTL_OUTPUT=json armadactl get queue

  # Send requests to a server that `armadactl serve` runs
  armadactl get queue --armada-rest-url http://127.0.0.1:8080";

const GLOBALS_DESCRIPTION: &str = "\
A flag overrides its environment variable, which overrides the config file.
Options of single commands have no variables, but for ARMADACTL_THREADS.

The address of the server is the first that is set of --armada-rest-url,
--armadaUrl, ARMADACTL_ARMADA_REST_URL, ARMADACTL_ARMADAURL, ARMADAURL, the
context's `armadaRestUrl` and its `armadaUrl`; without a context it is
http://localhost:8080. An `armadaUrl` may be the address of Armada's gRPC API,
which this tool cannot use: it then sends nothing (exit 2). Only a value that
equals the context's own `armadaUrl` is passed over.";

const GLOBALS_SECTIONS: &str = "\
Environment:
  NO_COLOR                   do not colour the output, if not empty
  TERM                       do not colour the output, if it is `dumb`
  CURRENTCONTEXT             the context, as Armada's own armadactl reads it
  ARMADAURL                  an address, as Armada's own armadactl reads it
  ARMADACTL_ARMADA_REST_URL  the address, after --armadaUrl
  ARMADACTL_ARMADAURL        an address, after ARMADACTL_ARMADA_REST_URL

Files:
  ~/.armadactl.yaml        the config file
  armadactl-defaults.yaml  the same, beside the binary";

/// The definition of a command line, built and with the layout of help.
pub(super) fn arrange(mut definition: Command) -> Command {
    definition.build();
    let globals: Vec<Id> = definition
        .get_arguments()
        .filter(|arg| arg.is_global_set())
        .map(|arg| arg.get_id().clone())
        .collect();
    let groups = groups(&definition);
    let template =
        TEMPLATE.replace("{all-args}", &format!("{groups}{{options-heading}}{{options}}"));
    let template = template.replace("{options-heading}", &heading(&definition, "Options"));
    arrange_command(definition, &globals, None).help_template(template)
}

/// The commands in groups, each with what it does.
fn groups(definition: &Command) -> String {
    let width = definition.get_subcommands().map(|command| command.get_name().len()).max();
    let width = width.unwrap_or_default();
    // As clap finds it, which wraps all else.
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let columns = Ui::width().or(columns).unwrap_or(MAX_WIDTH).min(MAX_WIDTH);
    let mut text = String::new();
    for (title, names) in GROUPS {
        text += &heading(definition, title);
        for command in names.iter().filter_map(|name| definition.find_subcommand(name)) {
            let about = command.get_about().map(StyledStr::to_string).unwrap_or_default();
            let line = format!("  {:width$}  {about}", command.get_name());
            text += &wrap(&line, columns, width + 4);
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// A heading in the style of those of clap.
fn heading(definition: &Command, title: &str) -> String {
    let style = definition.get_styles().get_header();
    format!("{style}{title}:{style:#}\n")
}

/// A command and its subcommands, without the global options. Subcommands without sections inherit
/// those of the command.
fn arrange_command(command: Command, globals: &[Id], sections: Option<&StyledStr>) -> Command {
    let sections = command.get_after_long_help().or(sections).cloned();
    let hidden = |arg: Arg| {
        let is_global = globals.contains(arg.get_id());
        if is_global { arg.hide(true) } else { arg }
    };
    let command = command
        .mut_args(hidden)
        .mut_subcommands(|sub| arrange_command(sub, globals, sections.as_ref()))
        .after_help(GLOBAL_OPTIONS);
    let after = match &sections {
        Some(sections) => format!("{GLOBAL_OPTIONS}\n\n{sections}"),
        None => GLOBAL_OPTIONS.to_owned(),
    };
    let page = Page { sections: after, ..Page::new(&command) };
    page.lay_out(command)
}

/// The definition of the page of the global options.
pub(super) fn global_options() -> Command {
    let command = Command::new("armadactl")
        .max_term_width(100)
        .disable_help_flag(true)
        .override_usage("armadactl <COMMAND> [GLOBAL OPTIONS]")
        .before_long_help(GLOBALS_EXAMPLES)
        .after_long_help(GLOBALS_SECTIONS);
    // Names of variables only: their values may have control characters.
    Globals::augment_args(command)
        .about("Options of all commands")
        .long_about(format!("Options of all commands\n\n{GLOBALS_DESCRIPTION}"))
        .mut_args(|arg| arg.hide_env(false).hide_env_values(true))
}

/// The same with the layout of help.
pub(super) fn arrange_global(mut global_options: Command) -> Command {
    global_options.build();
    Page::new(&global_options).lay_out(global_options)
}

/// The parts of a page that clap does not place.
pub(super) struct Page {
    /// The first line: what the command does.
    pub about: String,
    /// The section with the examples; empty if there are none.
    pub examples: String,
    /// The paragraphs after the first line; empty if there are none.
    pub description: String,
    /// The sections at the end.
    pub sections: String,
}

impl Page {
    /// The parts in a definition that is not arranged.
    pub fn new(command: &Command) -> Self {
        let text = |part: Option<&StyledStr>| part.map(StyledStr::to_string).unwrap_or_default();
        let about = text(command.get_about());
        let long_about = text(command.get_long_about());
        let description = long_about.strip_prefix(&about).unwrap_or(&long_about);
        Self {
            examples: text(command.get_before_long_help()),
            description: description.trim().to_owned(),
            sections: text(command.get_after_long_help()),
            about,
        }
    }

    fn lay_out(self, command: Command) -> Command {
        let parts = [&self.examples, &self.description];
        let parts = parts.map(String::as_str).into_iter().filter(|part| !part.is_empty());
        let before = parts.collect::<Vec<_>>().join("\n\n");
        let styles = command.get_styles().clone();
        let command = command.help_template(TEMPLATE).long_about(self.about);
        let command = command.after_long_help(with_headings(&self.sections, &styles));
        if before.is_empty() {
            command
        } else {
            command.before_long_help(with_headings(&before, &styles))
        }
    }
}

/// The title of a line that begins a section, such as `Examples:`.
fn title(line: &str) -> Option<&str> {
    line.strip_suffix(':').filter(|title| !title.starts_with(' ') && !title.is_empty())
}

/// The text with its headings in the style of those of clap.
fn with_headings(text: &str, styles: &Styles) -> String {
    let header = styles.get_header();
    let with_style = |line: &str| match title(line) {
        Some(_) => format!("{header}{line}{header:#}"),
        None => line.to_owned(),
    };
    text.lines().map(with_style).collect::<Vec<_>>().join("\n")
}

/// The lines of each section with its title.
pub(super) fn sections(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        match (title(line), sections.last_mut()) {
            (Some(title), _) => sections.push((title, Vec::new())),
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => {}
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Exit;
    use crate::commands::Cli;

    fn each(command: &Command, sections: &str, check: &mut impl FnMut(&Command, &Page)) {
        let mut page = Page::new(command);
        if page.sections.is_empty() {
            sections.clone_into(&mut page.sections);
        }
        check(command, &page);
        command.get_subcommands().for_each(|sub| each(sub, &page.sections, check));
    }

    fn each_command(mut check: impl FnMut(&Command, &Page)) {
        let mut root = Cli::definition();
        root.build();
        each(&root, "", &mut check);
    }

    #[test]
    fn every_command_has_exit_codes() {
        each_command(|command, page| {
            let name = command.get_bin_name().unwrap_or_default();
            let sections = sections(&page.sections);
            let exits = sections.iter().find(|(title, _)| *title == EXIT_CODES);
            let (_, lines) = exits.unwrap_or_else(|| panic!("{name}"));
            let lines = lines.iter().filter(|line| !line.is_empty());
            let codes: Vec<u8> =
                lines.filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
            assert!(codes.starts_with(&[0]) && codes.contains(&2), "{name}: {codes:?}");
            assert!(codes.is_sorted(), "{name}: {codes:?}");
            let known = |code: &u8| Exit::ALL.iter().any(|exit| exit.code() == *code);
            assert!(codes.iter().all(known), "{name}: {codes:?}");
        });
    }

    #[test]
    fn every_command_has_examples_that_can_be_run() {
        each_command(|command, page| {
            let name = command.get_bin_name().unwrap_or_default();
            let too_long = page.examples.lines().find(|line| line.chars().count() > 80);
            assert_eq!(too_long, None, "{name}");
            let examples = page.examples.replace("\\\n", " ");
            let sections = sections(&examples);
            let [("Examples", lines)] = sections.as_slice() else { panic!("{name}: {sections:?}") };
            let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
            assert!(lines.iter().any(|line| line.starts_with(name)), "{name}");
            for line in lines.iter().filter(|line| line.starts_with("armadactl")) {
                let end = line.find([';', '|', '>', '<']).unwrap_or(line.len());
                let words = line[..end].split_whitespace().map(|word| word.trim_matches('\''));
                let read = Cli::read(&words.map(Into::into).collect::<Vec<_>>());
                assert!(read.is_ok(), "{line}: {}", read.err().unwrap());
            }
        });
    }

    #[test]
    fn every_text_is_short_and_without_full_stop() {
        let check = |name: &str, text: &str| {
            assert!(text.chars().count() <= 80, "{name}: {text}");
            assert!(!text.is_empty() && !text.ends_with('.'), "{name}: {text}");
        };
        each_command(|command, page| {
            let name = command.get_bin_name().unwrap_or_default();
            check(name, &page.about);
            for arg in command.get_arguments() {
                let help = arg.get_help().map(StyledStr::to_string).unwrap_or_default();
                check(&format!("{name} {}", arg.get_id()), &help);
                for value in arg.get_possible_values() {
                    if let Some(help) = value.get_help() {
                        check(&format!("{name} {}", value.get_name()), &help.to_string());
                    }
                }
            }
        });
    }
}
