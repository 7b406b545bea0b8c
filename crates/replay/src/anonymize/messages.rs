//! Messages: each is replaced by a text that has the same shape as another one if their messages have, and that the same
//! patterns match.

use super::names::Names;
use crate::simulate::write_shape;
use document::pattern::{Pattern, SearchMemory, Searcher};
use hashbrown::HashMap;

/// The texts that replace messages.
#[derive(Debug)]
pub(super) struct Messages {
    patterns: Vec<PatternOfRule>,
    /// The number of each shape, by its hash.
    shapes: HashMap<u128, Shape>,
    known: HashMap<u128, Message>,
    buffer: String,
}

/// A pattern of a rule.
#[derive(Debug)]
struct PatternOfRule {
    searcher: Searcher,
    memory: SearchMemory,
    /// A text that it matches, made from the pattern alone.
    example: Option<String>,
}

/// A shape, and how many messages have it.
#[derive(Debug)]
struct Shape {
    number: u32,
    messages: u32,
}

/// A message that was replaced.
#[derive(Debug)]
struct Message {
    shape: u32,
    /// Its number among those of its shape.
    number: u32,
    digits: Digits,
    /// The numbers of the patterns that match it; mostly none.
    matched: Box<[u32]>,
    /// The lines of its text.
    layout: Layout,
}

/// The numbers in a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Digits {
    /// Nothing: the message is blank, and counts as none.
    Blank,
    /// No number.
    None,
    /// Numbers.
    Some,
}

/// The lines of a text: the name of the message, and an example of each pattern that matches it. A pattern may need the begin
/// or the end of the text, or match a word of the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    /// The pattern that the text begins with; otherwise it begins with the name.
    first: Option<u32>,
    /// The pattern that the text ends with.
    last: Option<u32>,
    /// The text between the first pattern and the name; without it, the text has no name.
    between: Option<&'static str>,
    word: &'static str,
}

/// The words that names of messages begin with; the second and third are for patterns that match the word before.
const WORDS: [&str; 3] = ["message-", "text-", ""];

/// A text that replaces a message.
pub(super) struct Replaced {
    pub(super) text: String,
    /// Whether the message was not seen before.
    pub(super) is_new: bool,
    /// Whether the same patterns match it.
    pub(super) is_equal: bool,
}

impl Messages {
    /// No messages so far. Rules compare messages with these patterns.
    pub(super) fn new<'p>(patterns: impl Iterator<Item = &'p Pattern>) -> Self {
        let mut all: Vec<PatternOfRule> = Vec::new();
        let mut texts = hashbrown::HashSet::new();
        for pattern in patterns.filter(|pattern| texts.insert(pattern.as_str().to_owned())) {
            let searcher = Searcher::new(all.len(), pattern.clone());
            let (memory, example) = (SearchMemory::default(), pattern.example());
            all.push(PatternOfRule { searcher, memory, example });
        }
        Self { patterns: all, shapes: HashMap::new(), known: HashMap::new(), buffer: String::new() }
    }

    /// The text that replaces a message, which is not empty.
    pub(super) fn replace(&mut self, names: &Names, message: &str) -> Replaced {
        let hash = names.hash(message);
        if let Some(found) = self.known.get(&hash) {
            let text = self.text(found, found.layout);
            return Replaced { text, is_new: false, is_equal: true };
        }
        let mut new = self.number(names, message);
        new.matched = self.matched(message).into();
        let layouts = layouts(&new.matched);
        let found = layouts.into_iter().find_map(|layout| {
            let text = self.text(&new, layout);
            (!text.is_empty() && *self.matched(&text) == *new.matched).then_some((layout, text))
        });
        let is_equal = found.is_some();
        let (layout, text) = found.unwrap_or_else(|| (new.layout, self.text(&new, new.layout)));
        new.layout = layout;
        self.known.insert(hash, new);
        Replaced { text, is_new: true, is_equal }
    }

    /// A message with the numbers of its shape and among those of its shape.
    fn number(&mut self, names: &Names, message: &str) -> Message {
        write_shape(message, &mut self.buffer);
        // A number for each shape, not its hash: names are short, and say nothing about the text.
        let next = u32::try_from(self.shapes.len()).unwrap_or(u32::MAX);
        let shape = self.shapes.entry(names.hash(&self.buffer));
        let shape = shape.or_insert(Shape { number: next, messages: 0 });
        shape.messages = shape.messages.saturating_add(1);
        Message {
            shape: shape.number,
            number: shape.messages,
            digits: match &*self.buffer {
                "" => Digits::Blank,
                shape if shape.contains('#') => Digits::Some,
                _ => Digits::None,
            },
            matched: Box::default(),
            layout: Layout { first: None, last: None, between: None, word: WORDS[0] },
        }
    }

    /// The numbers of the patterns that match a text.
    fn matched(&mut self, text: &str) -> Vec<u32> {
        let matches = |(number, pattern): (u32, &mut PatternOfRule)| {
            pattern.searcher.is_match(text, &mut pattern.memory).then_some(number)
        };
        (0..).zip(&mut self.patterns).filter_map(matches).collect()
    }

    fn text(&self, message: &Message, layout: Layout) -> String {
        let Layout { first, last, between, word } = layout;
        let example = |number: &u32| self.patterns[*number as usize].example.as_deref();
        let name = name(message, word);
        let begin = match first.as_ref().map(|number| example(number).unwrap_or_default()) {
            None => name,
            Some(text) => {
                between.map_or(text.to_owned(), |between| format!("{text}{between}{name}"))
            }
        };
        let is_other = |number: &&u32| ![first, last].contains(&Some(**number));
        let others = message.matched.iter().filter(is_other).filter_map(example);
        let mut lines = vec![begin.as_str()];
        lines.extend(others.chain(last.as_ref().and_then(example)));
        lines.join("\n")
    }
}

/// The layouts of a text, the best first: with the name in the first line its shape is that of no other message.
fn layouts(matched: &[u32]) -> Vec<Layout> {
    let some = || matched.iter().copied().map(Some);
    let ends = || std::iter::once(None).chain(some());
    let firsts = std::iter::once((None, None))
        .chain(some().map(|first| (first, Some(" "))))
        .chain(some().map(|first| (first, Some("\n"))))
        .chain(some().map(|first| (first, None)));
    let with_last = firsts.flat_map(|(first, between)| {
        let lasts = ends().filter(move |last| last.is_none() || *last != first);
        lasts.map(move |last| (first, last, between))
    });
    let all: Vec<_> = with_last.collect();
    let with =
        |word| all.iter().map(move |&(first, last, between)| Layout { first, last, between, word });
    WORDS.into_iter().flat_map(with).collect()
}

/// The name of a message. Its shape (`#` for a number) is that of the messages of the same shape alone: letters are the
/// number of the shape. A message without a number in its shape has none in its name either, since a pattern may match
/// digits; the second line then distinguishes it.
fn name(message: &Message, word: &str) -> String {
    let shape = letters(message.shape);
    match (message.digits, message.number) {
        (Digits::Blank, _) => " ".to_owned(),
        (Digits::Some, number) => format!("{word}{shape} {number}"),
        (Digits::None, 1) => format!("{word}{shape}"),
        (Digits::None, number) => format!("{word}{shape}\n{}", letters(number)),
    }
}

/// A number in letters: a, b, .., z, aa, ab.
fn letters(mut number: u32) -> String {
    let mut letters = Vec::new();
    loop {
        // In letters, since digits would change which patterns on numbers match.
        letters.push(char::from(b'a' + u8::try_from(number % 26).unwrap_or_default()));
        if number < 26 {
            return letters.iter().rev().collect();
        }
        // There is no letter for 0: `z` is followed by `aa`.
        number = number / 26 - 1;
    }
}
