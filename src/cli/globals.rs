//! Flags that every command takes.

use super::Refusal;
use crate::ui::{ColorChoice, ErrorFormat, Ui};
use clap::{Args, ValueEnum};

/// Flags that every command takes. Flag, then environment, then default.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct Globals {
    /// Print the data in this form
    #[arg(short, long, global = true, value_enum, env = "ARMADACTL_OUTPUT", value_name = "FORMAT")]
    pub output: Option<Output>,
    /// Leave the header line of tables out
    #[arg(long, global = true, env = "ARMADACTL_NO_HEADERS")]
    pub no_headers: bool,
    /// Colour the output [default: auto]
    #[arg(
        long,
        global = true,
        value_enum,
        env = "ARMADACTL_COLOR",
        value_name = "WHEN",
        hide_possible_values = false
    )]
    pub color: Option<ColorChoice>,
    /// Print the data and errors only
    #[arg(short, long, global = true, env = "ARMADACTL_QUIET")]
    pub quiet: bool,
    /// Print findings in this form [default: human]
    #[arg(long, global = true, value_enum, env = "ARMADACTL_ERROR_FORMAT", value_name = "FORMAT")]
    pub error_format: Option<ErrorFormat>,
}

/// The form of the data on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// A table for people
    Table,
    /// A table with more columns
    Wide,
    /// A JSON document with a published schema
    Json,
    /// The same document as YAML
    Yaml,
    /// Names only
    Name,
}

impl Output {
    fn as_str(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Wide => "wide",
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Name => "name",
        }
    }
}

impl Globals {
    /// The streams as these flags want them.
    pub fn ui(&self) -> Ui {
        Ui::new(self.color.unwrap_or_default(), self.error_format.unwrap_or_default(), self.quiet)
    }

    /// The form that was asked for, `table` if none was; an error if the command cannot give it.
    pub fn output(&self, command: &str, possible: &[Output]) -> Result<Output, Refusal> {
        let wanted = self.output.unwrap_or(Output::Table);
        if possible.contains(&wanted) {
            return Ok(wanted);
        }
        let names: Vec<&str> = possible.iter().map(|output| output.as_str()).collect();
        Err(Refusal::usage(format!("`{command}` cannot print `{}`", wanted.as_str()))
            .help(format!("it prints {}", names.join(", "))))
    }
}
