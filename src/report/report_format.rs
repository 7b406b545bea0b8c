//! The formats of `--report`.

use super::ci_report::{CiReport, RunFacts};
use super::{comment, github, gitlab, html, junit, page, sarif};

/// A format of `--report`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFormat {
    /// XML of test results, as Jenkins, GitLab and most CI systems read it.
    Junit,
    /// SARIF 2.1.0, as GitHub's code scanning reads it.
    Sarif,
    /// GitHub workflow commands.
    Github,
    /// GitLab's Code Quality.
    Gitlab,
    /// A section of a comment on a change, as Markdown.
    Markdown,
    /// A page with the findings at their lines.
    Html,
    /// The command's own report.
    Json,
}

impl ReportFormat {
    /// All formats.
    pub const ALL: [Self; 7] = [
        Self::Junit,
        Self::Sarif,
        Self::Github,
        Self::Gitlab,
        Self::Markdown,
        Self::Html,
        Self::Json,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Junit => "junit",
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Json => "json",
        }
    }

    /// The report as text.
    pub fn render(self, reported: &CiReport<'_>, run: &RunFacts) -> String {
        match self {
            Self::Junit => junit::render(reported, run),
            Self::Sarif => sarif::render(reported, run),
            Self::Github => github::render(reported, run),
            Self::Gitlab => gitlab::render(reported, run),
            Self::Markdown => comment::render(reported, run),
            Self::Html => html(&page::findings(reported, run)),
            Self::Json => reported.json.clone(),
        }
    }
}
