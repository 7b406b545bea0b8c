//! `man`: prints a manual page.

use super::help::find_command;
use super::help_page::{
    ENVIRONMENT, EXIT_CODES, FILES, Page, USAGE_EXITS, arrange, arrange_global, global_options,
    sections,
};
use crate::cli::{Context, Exit};
use anyhow::Result;
use clap::{Args, Command};
use std::fmt::Write;

const EXAMPLES: &str = "\
Examples:
  # Read the main page
  armadactl man | man -l -

  # Write the page of a command to a file
  armadactl man explain decision > armadactl-explain-decision.1";

/// Print a manual page
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = USAGE_EXITS)]
pub struct ManArgs {
    /// A command, such as `explain decision`, or `global` [default: main page]
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

/// Prints the page.
pub fn run(context: &mut Context<'_>, args: &ManArgs) -> Result<Exit> {
    context.globals.output("man", &[])?;
    let manual = if args.words == ["global"] {
        let command = global_options();
        Manual { path: &args.words, page: Page::new(&command), command: arrange_global(command) }
    } else {
        let mut root = (context.definition)();
        root.build();
        let page = Page::new(find_command(&mut root, &args.words, &["global"])?);
        let mut root = arrange(root);
        let command = find_command(&mut root, &args.words, &["global"])?.clone();
        // A command without sections of its own has those of the command above it.
        let sections = Page::new(&command).sections;
        Manual { path: &args.words, page: Page { sections, ..page }, command }
    };
    context.ui.data(&manual.roff()?)?;
    Ok(Exit::Done)
}

/// The subject of a manual page.
struct Manual<'a> {
    /// The words of the command, or `global`.
    path: &'a [String],
    /// Its definition, arranged.
    command: Command,
    /// The parts of its help.
    page: Page,
}

impl Manual<'_> {
    /// The whole page.
    fn roff(&self) -> Result<String> {
        let (name, page) = (page_name(self.path), &self.page);
        let mut text = format!(
            ".TH {} 1 \"\" \"armadactl {}\" \"Armada retry policies\"\n",
            name.to_uppercase(),
            env!("CARGO_PKG_VERSION"),
        );
        // Hyphens in names of commands and flags are part of them, so that no other is inserted.
        text += ".nh\n.ad l\n.SH NAME\n";
        writeln!(text, "{} \\- {}", escaped(&name), escaped(&page.about))?;
        text += ".SH SYNOPSIS\n";
        text += &synopsis(&mut self.command.clone());
        text += ".SH DESCRIPTION\n";
        let about = format!("{}.", page.about);
        text += &paragraphs(if page.description.is_empty() { &about } else { &page.description });
        for (_, lines) in sections(&page.examples) {
            text += ".SH EXAMPLES\n";
            text += &examples(&lines);
        }
        text += &self.commands();
        text += &self.options()?;
        for (title, items) in self.end_sections() {
            if !items.is_empty() {
                writeln!(text, ".SH {title}")?;
            }
            for (name, meaning) in items {
                writeln!(text, ".TP\n\\fB{}\\fR\n{}", escaped(&name), escaped(&meaning))?;
            }
        }
        text += ".SH SEE ALSO\n";
        text += &self.see_also();
        Ok(with_bold_code(&text))
    }

    fn is_global(&self) -> bool {
        self.path == ["global"]
    }

    fn subcommands(&self) -> impl Iterator<Item = (String, &Command)> {
        let name = page_name(self.path);
        self.command.get_subcommands().map(move |sub| (format!("{name}-{}", sub.get_name()), sub))
    }

    /// The commands below this one.
    fn commands(&self) -> String {
        let mut text = String::new();
        for (name, sub) in self.subcommands() {
            let heading = if text.is_empty() { ".SH COMMANDS\n" } else { "" };
            let about = escaped(&Page::new(sub).about);
            let _ = writeln!(text, "{heading}.TP\n{}\n{about}", reference(&name));
        }
        text
    }

    /// The options, and the arguments, as clap describes them.
    fn options(&self) -> Result<String> {
        let mut options = Vec::new();
        clap_mangen::Man::new(self.command.clone()).render_options_section(&mut options)?;
        let options = String::from_utf8_lossy(&options);
        // The apostrophe `\*(Aq` is defined for old versions of troff only.
        let is_definition = |line: &str| line.starts_with(".ie ") || line.starts_with(".el ");
        let lines = options.lines().filter(|line| !is_definition(line));
        let mut text: String = lines.map(|line| line.replace("\\*(Aq", "\\(aq") + "\n").collect();
        if !self.is_global() {
            writeln!(
                text,
                ".PP\nThe global options are described in\n{}.",
                reference("armadactl-global")
            )?;
        }
        Ok(text)
    }

    /// The sections on exit codes, environment variables and files.
    fn end_sections(&self) -> [(&'static str, Vec<(String, String)>); 3] {
        let sections = sections(&self.page.sections);
        let items = |title: &str| {
            let found = sections.iter().filter(|(found, _)| *found == title);
            found.flat_map(|(_, lines)| items(lines)).collect::<Vec<_>>()
        };
        let mut exits = items(EXIT_CODES);
        let mut environment = items(ENVIRONMENT);
        let mut files = items(FILES);
        if self.is_global() || self.path.is_empty() {
            let code = |exit: &Exit| (exit.code().to_string(), exit.meaning().to_owned());
            exits = Exit::ALL.iter().map(code).collect();
        }
        environment.extend(self.own_variables());
        if !self.is_global() {
            let meaning = "defaults of the global options: see armadactl-global(1)";
            environment.push(("ARMADACTL_*".to_owned(), meaning.to_owned()));
            // Commands that send requests have an exit code for a server that cannot be reached.
            let server = Exit::Server.code().to_string();
            if exits.iter().any(|(code, _)| *code == server) {
                let meaning = "addresses and credentials of servers, by context";
                files.push(("~/.armadactl.yaml".to_owned(), meaning.to_owned()));
            }
        }
        [("EXIT STATUS", exits), ("ENVIRONMENT", environment), ("FILES", files)]
    }

    /// The variables of the options on this page.
    fn own_variables(&self) -> impl Iterator<Item = (String, String)> {
        let own = self.command.get_arguments().filter(|arg| !arg.is_hide_set());
        own.filter_map(|arg| {
            let meaning = format!("default of `--{}`", arg.get_long()?);
            Some((arg.get_env()?.to_string_lossy().into_owned(), meaning))
        })
    }

    /// The pages above and below this one, and that of the global options.
    fn see_also(&self) -> String {
        let above = (0..self.path.len()).map(|end| page_name(&self.path[..end]));
        let mut pages: Vec<String> =
            above.chain(self.subcommands().map(|(name, _)| name)).collect();
        if !self.is_global() {
            pages.push("armadactl-global".to_owned());
        }
        let pages: Vec<String> = pages.iter().map(|page| reference(page)).collect();
        pages.join(",\n") + "\n"
    }
}

/// The name of the page of a command.
fn page_name(path: &[String]) -> String {
    std::iter::once("armadactl")
        .chain(path.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join("-")
}

/// The forms of the command line, a line each.
fn synopsis(command: &mut Command) -> String {
    let usage = command.render_usage().to_string();
    let forms = usage.trim_start_matches("Usage:").lines().map(str::trim);
    let forms: Vec<String> = forms.filter(|form| !form.is_empty()).map(escaped).collect();
    forms.join("\n.br\n") + "\n"
}

/// Paragraphs that blank lines separate.
fn paragraphs(text: &str) -> String {
    let paragraphs: Vec<String> = text.split("\n\n").map(escaped).collect();
    paragraphs.join("\n.PP\n") + "\n"
}

/// Examples: lines that begin with `#` explain the command lines after them.
fn examples(lines: &[&str]) -> String {
    let mut text = String::new();
    for block in lines.split(|line| line.is_empty()) {
        // Further lines of a command are indented more.
        let unindented = block.iter().map(|line| line.strip_prefix("  ").unwrap_or(line));
        let (comments, commands): (Vec<&str>, Vec<&str>) =
            unindented.partition(|line| line.starts_with('#'));
        let comment = comments.iter().map(|line| line.trim_start_matches(['#', ' ']));
        let comment = comment.collect::<Vec<_>>().join(" ");
        let commands: Vec<String> = commands.into_iter().map(escaped).collect();
        let _ = writeln!(
            text,
            ".PP\n{}:\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE",
            escaped(&comment),
            commands.join("\n")
        );
    }
    text
}

/// The items of a section: a name, two spaces or more, and what it means.
fn items(lines: &[&str]) -> Vec<(String, String)> {
    let split = |line: &&str| {
        let (name, meaning) = line.trim().split_once("  ")?;
        Some((name.to_owned(), meaning.trim().to_owned()))
    };
    lines.iter().filter_map(split).collect()
}

/// A reference to another page.
fn reference(page: &str) -> String {
    format!("\\fB{}\\fR(1)", escaped(page))
}

/// Text without anything that roff reads as a request or an escape.
fn escaped(text: &str) -> String {
    let line = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
        if line.starts_with('.') { format!("\\&{line}") } else { line }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The text with what is between backticks in bold type.
fn with_bold_code(text: &str) -> String {
    let mut page = String::new();
    for line in text.lines() {
        let is_paired = line.matches('`').count() % 2 == 0;
        for (at, part) in line.split('`').enumerate() {
            match at {
                0 => page += part,
                _ if !is_paired => page.extend(["`", part]),
                _ => page.extend([if at % 2 == 1 { "\\fB" } else { "\\fR" }, part]),
            }
        }
        page.push('\n');
    }
    page
}
