//! A page as data: sentences, pictures, tables.

use super::chart::{Chart, KeyEntry};
use super::table::PageTable;

/// A page.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The line above the headline: kind, policies, size. Parts between backticks are code, as in all texts of a page.
    pub(in crate::report) context: String,
    /// The headline: the first sentence of the answer.
    pub(in crate::report) headline: String,
    /// The other sentences of the answer.
    pub(in crate::report) second_headline: String,
    /// Warnings: they change how the figures are read.
    pub(in crate::report) warnings: Vec<String>,
    /// The results of `--assert`, each with whether it holds.
    pub(in crate::report) assertions: Vec<(String, bool)>,
    /// The questions that the first screen answers.
    pub(in crate::report) questions: Vec<Reply>,
    /// The picture beside them.
    pub(in crate::report) picture: Option<Picture>,
    /// Whether the picture needs the whole width, below the questions.
    pub(in crate::report) is_wide: bool,
    /// The sections, in the order of the questions that they answer.
    pub(in crate::report) sections: Vec<Section>,
    /// Notes that come with the figures.
    pub(in crate::report) notes: Vec<String>,
    /// The command line that makes it again; empty if it is not known.
    pub(in crate::report) command: String,
    /// The sources at the foot: a name, and texts.
    pub(in crate::report) sources: Vec<(String, Vec<String>)>,
}

/// A question and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::report) struct Reply {
    pub(in crate::report) question: &'static str,
    /// The answer in a few words.
    pub(in crate::report) answer: String,
    pub(in crate::report) figures: String,
}

#[derive(Debug, Clone, Default)]
pub(in crate::report) struct Section {
    pub(in crate::report) title: String,
    /// A sentence on how it is read.
    pub(in crate::report) text: String,
    pub(in crate::report) parts: Vec<Part>,
    /// Whether a comment shows it unfolded.
    pub(in crate::report) is_unfolded: bool,
}

/// A part of a section.
#[derive(Debug, Clone)]
pub(in crate::report) enum Part {
    Table(PageTable),
    /// A picture over the whole width.
    Picture(Picture),
    /// Pictures and tables side by side, where there is room.
    Beside(Vec<Part>),
    /// A table under a title of its own.
    Titled(String, String, PageTable),
    Sentence(String),
    /// Sentences of equal rank.
    Sentences(Vec<String>),
    /// A text of a file, as code, with remarks at its lines.
    Listing(Vec<Line>),
}

/// A line of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::report) struct Line {
    /// Its number, from 1.
    pub(in crate::report) number: usize,
    pub(in crate::report) text: String,
    /// Whether it is good or bad; none if it is neither.
    pub(in crate::report) is_good: Option<bool>,
    /// Remarks below it.
    pub(in crate::report) remarks: Vec<String>,
}

/// A picture with its title, and its figures as a table.
#[derive(Debug, Clone, Default)]
pub(in crate::report) struct Picture {
    /// The title: the question that it answers, or its finding.
    pub(in crate::report) title: String,
    /// A sentence on how it is read.
    pub(in crate::report) text: String,
    /// Its charts: one, or several side by side with equal axes, each with its name.
    pub(in crate::report) charts: Vec<(String, Chart)>,
    /// The key, where areas touch.
    pub(in crate::report) key: Vec<KeyEntry>,
    /// A sentence below it.
    pub(in crate::report) note: String,
    /// Its figures.
    pub(in crate::report) table: Option<PageTable>,
    /// Whether the table is open.
    pub(in crate::report) is_open: bool,
}

impl Picture {
    /// The picture of a chart.
    pub(super) fn new(chart: Chart, text: impl Into<String>) -> Self {
        Self {
            title: chart.title.clone(),
            text: text.into(),
            key: chart.key.clone(),
            charts: vec![(String::new(), chart)],
            ..Self::default()
        }
    }

    /// The picture with its figures.
    #[must_use]
    pub(super) fn with_table(self, table: PageTable) -> Self {
        Self { table: Some(table), ..self }
    }
}

impl Section {
    /// A section with parts; none without any.
    pub(super) fn new(
        title: impl Into<String>,
        text: impl Into<String>,
        parts: impl IntoIterator<Item = Part>,
    ) -> Option<Self> {
        let parts: Vec<Part> = parts.into_iter().collect();
        let (title, text) = (title.into(), text.into());
        (!parts.is_empty()).then_some(Self { title, text, parts, is_unfolded: false })
    }

    /// The section, which a comment shows unfolded.
    #[must_use]
    pub(super) fn unfolded(self) -> Self {
        Self { is_unfolded: true, ..self }
    }
}

impl Page {
    /// Adds a section, if there is one.
    pub(super) fn add(&mut self, section: Option<Section>) {
        self.sections.extend(section);
    }

    /// All charts, in their order on the page.
    pub(in crate::report) fn charts(&self) -> impl Iterator<Item = &Chart> {
        let mut charts: Vec<&Chart> = Vec::new();
        self.picture.iter().for_each(|picture| add_charts(&mut charts, picture));
        for part in self.sections.iter().flat_map(|section| &section.parts) {
            add_part(&mut charts, part);
        }
        charts.into_iter()
    }
}

fn add_charts<'p>(charts: &mut Vec<&'p Chart>, picture: &'p Picture) {
    charts.extend(picture.charts.iter().map(|(_, chart)| chart));
}

fn add_part<'p>(charts: &mut Vec<&'p Chart>, part: &'p Part) {
    match part {
        Part::Picture(picture) => add_charts(charts, picture),
        Part::Beside(parts) => parts.iter().for_each(|part| add_part(charts, part)),
        Part::Table(_)
        | Part::Titled(..)
        | Part::Sentence(_)
        | Part::Sentences(_)
        | Part::Listing(_) => {}
    }
}
