//! Flags that every command takes.

use super::{Refusal, ServerFlags};
use crate::ui::{ColorChoice, ErrorFormat, Ui};
use clap::builder::{BoolishValueParser, PossibleValue, TypedValueParser};
use clap::{Args, ValueEnum};
use document::names;
use std::ffi::{OsStr, OsString};

/// Flags that every command takes. Flag, then environment, then default.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct Globals {
    /// Print data in this form
    ///
    /// Not every command has every form. Default: table, and YAML for `convert`.
    #[arg(
        short,
        long,
        global = true,
        env = "ARMADACTL_OUTPUT",
        hide_env = true,
        value_name = "FORMAT"
    )]
    #[arg(value_parser = OutputParser)]
    pub output: Option<OutputArg>,
    /// Whether that form comes from the flag, not from the environment.
    #[arg(skip)]
    pub is_output_flag: bool,
    /// The command line, the program's name first.
    #[arg(skip)]
    pub words: Vec<OsString>,
    /// Print tables without their header line
    #[arg(long, global = true, env = "ARMADACTL_NO_HEADERS", hide_env = true, value_parser = BoolishValueParser::new())]
    pub no_headers: bool,
    /// Colour the output [default: auto]
    #[arg(
        long,
        global = true,
        value_enum,
        env = "ARMADACTL_COLOR",
        hide_env = true,
        value_name = "WHEN",
        hide_possible_values = false
    )]
    pub color: Option<ColorChoice>,
    /// Print only data and errors
    #[arg(short, long, global = true, env = "ARMADACTL_QUIET", hide_env = true, value_parser = BoolishValueParser::new())]
    pub quiet: bool,
    /// Print findings in this form [default: human]
    #[arg(
        long,
        global = true,
        value_enum,
        env = "ARMADACTL_ERROR_FORMAT",
        hide_env = true,
        value_name = "FORMAT"
    )]
    pub error_format: Option<ErrorFormat>,
    /// Flags of the commands that send requests to a server.
    #[command(flatten)]
    pub server: ServerFlags,
}

names! {
    /// The form of the data on stdout.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
    pub enum Output {
        /// A table
        Table = "table",
        /// A table with more columns
        Wide = "wide",
        /// A JSON document with a published schema
        Json = "json",
        /// The same document as YAML
        Yaml = "yaml",
        /// One table as CSV, for spreadsheets
        Csv = "csv",
        /// Names only
        Name = "name",
    }
}

/// The value of `--output`. Each command checks whether it can print this form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputArg {
    /// A form that some command prints.
    Known(Output),
    /// Any other word.
    Unknown(String),
}

/// Takes any word, and lists the forms as possible values.
#[derive(Debug, Clone)]
struct OutputParser;

impl TypedValueParser for OutputParser {
    type Value = OutputArg;

    fn parse_ref(
        &self,
        _: &clap::Command,
        _: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<OutputArg, clap::Error> {
        let word = value.to_string_lossy();
        let known = Output::value_variants().iter().find(|output| output.as_str() == word);
        Ok(known.map_or_else(
            || OutputArg::Unknown(word.clone().into_owned()),
            |o| OutputArg::Known(*o),
        ))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values = Output::value_variants().iter();
        Some(Box::new(values.filter_map(ValueEnum::to_possible_value)))
    }
}

impl Globals {
    /// The streams, configured by these flags.
    pub fn ui(&self) -> Ui {
        Ui::new(self.color.unwrap_or_default(), self.error_format.unwrap_or_default(), self.quiet)
    }

    /// The form of `--output`, `table` by default; an error if the command cannot print it.
    ///
    /// A form from the environment applies to every command, so that those without it ignore it.
    pub fn output(&self, command: &str, possible: &[Output]) -> Result<Output, Refusal> {
        let word = match &self.output {
            None => return Ok(Output::Table),
            Some(OutputArg::Known(output)) if possible.contains(output) => return Ok(*output),
            Some(OutputArg::Known(_)) if !self.is_output_flag => return Ok(Output::Table),
            Some(OutputArg::Known(output)) => output.as_str(),
            Some(OutputArg::Unknown(word)) => word,
        };
        let names: Vec<&str> = possible.iter().map(|output| output.as_str()).collect();
        let help = match names.as_slice() {
            [] => "it prints one form only: leave `-o` out".to_owned(),
            names => format!("it prints {}", names.join(", ")),
        };
        Err(Refusal::usage(format!("`{command}` cannot print `{word}`")).help(help))
    }
}
