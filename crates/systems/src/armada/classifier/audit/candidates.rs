//! The parts of failures that the audit tries: texts, containers and events, constructed from a configuration.

use document::pattern::{Matched, Pattern, fold};
use regex_automata::meta::Regex;

/// How patterns that need a search are evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// By a search. What is found exists.
    Search,
    /// As if texts existed that match a single one of them. What is not found does not exist.
    Assume,
}

/// A pattern, analysed.
#[derive(Debug, Clone)]
pub(super) struct Term {
    source: String,
    matched: Matched,
    /// Literals of which a text contains one if a search finds the pattern, folded.
    required: Option<Vec<Vec<u8>>>,
    regex: Option<Regex>,
    example: Option<String>,
}

/// A text that a failure may have.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    pub(super) text: String,
    /// The pattern that it is assumed to match in [`Mode::Assume`].
    assumed: Option<String>,
}

impl Text {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), assumed: None }
    }

    /// The pattern that it is assumed to match.
    pub(super) fn assumed(&self) -> Option<&str> {
        self.assumed.as_deref()
    }

    /// The text between two others.
    pub(super) fn within(&self, before: &str, after: &str) -> Self {
        let text = format!("{before}{}{after}", self.text);
        Self { text, assumed: self.assumed.clone() }
    }
}

impl Term {
    /// A pattern that Go accepts. One that it does not accept matches nothing.
    pub(super) fn new(source: &str) -> Self {
        let pattern = Pattern::parse(source).ok();
        let matched = pattern.as_ref().map_or(Matched::Search, Pattern::matched);
        let is_searched = matched == Matched::Search;
        let searched = pattern.as_ref().filter(|_| is_searched);
        Self {
            source: source.to_owned(),
            regex: searched.and_then(|pattern| pattern.regex().ok()),
            example: searched.and_then(Pattern::example),
            required: searched.and_then(|pattern| pattern.required_literals(SHORTEST)).map(folded),
            matched,
        }
    }

    /// The pattern as it is written.
    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// How texts are compared with it.
    pub(super) fn matched(&self) -> &Matched {
        &self.matched
    }

    /// Literals of which an ASCII text contains one, after [`fold`], if the pattern is found in it; `None` if there are
    /// none.
    pub(super) fn required(&self) -> Option<&[Vec<u8>]> {
        self.required.as_deref()
    }

    /// The literal that a text must contain, if this is the whole condition.
    pub(super) fn literal(&self) -> Option<&str> {
        match &self.matched {
            Matched::Containing(literal) => Some(literal),
            Matched::All | Matched::NotEmpty | Matched::Search => None,
        }
    }

    /// Whether the pattern is found in a text.
    pub(super) fn is_match(&self, text: &Text, mode: Mode) -> bool {
        match (&self.matched, mode) {
            (Matched::All, _) => true,
            (Matched::Containing(literal), _) => text.text.contains(literal),
            (Matched::NotEmpty, _) => !text.text.is_empty(),
            (Matched::Search, Mode::Search) => {
                self.regex.as_ref().is_some_and(|regex| regex.is_match(&text.text))
            }
            (Matched::Search, Mode::Assume) => text.assumed.as_deref() == Some(&self.source),
        }
    }

    /// Whether the pattern of a rule of categories is found in a text: never in an empty one.
    pub(super) fn is_rule_match(&self, text: &Text, mode: Mode) -> bool {
        !text.text.is_empty() && self.is_match(text, mode)
    }

    /// Texts in which the pattern is found. Among them is one that fewest other patterns match, if the others are
    /// literal or match all texts. `fresh` is a text that no literal contains.
    pub(super) fn texts(&self, fresh: &str, mode: Mode) -> Vec<Text> {
        let found = match &self.matched {
            Matched::All | Matched::NotEmpty => return vec![Text::new(fresh)],
            Matched::Containing(literal) => Some(literal.as_str()),
            Matched::Search if mode == Mode::Assume => {
                return vec![Text { text: fresh.to_owned(), assumed: Some(self.source.clone()) }];
            }
            // Rules match no empty text.
            Matched::Search => self.example.as_deref().filter(|text| !text.is_empty()),
        };
        // The second may avoid anchored patterns that match the first.
        let surrounded = |text: &str| Text::new(format!("{fresh}{text}{fresh}"));
        found.map_or_else(Vec::new, |text| vec![Text::new(text), surrounded(text)])
    }
}

fn folded(literals: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    literals.into_iter().map(|literal| literal.into_iter().map(fold).collect()).collect()
}

/// A container that failed.
#[derive(Debug, Clone)]
pub(super) struct Container {
    pub(super) name: Text,
    pub(super) exit_code: i64,
    pub(super) is_out_of_memory: bool,
    pub(super) message: Text,
}

/// An event about the pod.
#[derive(Debug, Clone)]
pub(super) struct EventCandidate {
    pub(super) event_type: String,
    pub(super) reason: String,
    pub(super) message: Text,
}

/// A text of one character that no literal contains.
pub(super) fn fresh_text<'t>(literals: impl IntoIterator<Item = &'t str>) -> String {
    let all: String = literals.into_iter().collect();
    // Usual characters first, since the text is in examples; then characters that hardly any pattern has.
    let usual = "~xz0#".chars().chain('\u{4e00}'..='\u{9fff}');
    usual.into_iter().find(|c| !all.contains(*c)).unwrap_or('~').to_string()
}

/// The shortest literal by which patterns are found: shorter ones are in too many texts.
pub(super) const SHORTEST: usize = 3;
