//! A value and its text, and the other ways to spell it.

use super::draw::Draw;
use std::io::Write;

/// A JSON value.
pub enum Json {
    Number(u32),
    Text(String),
    /// A text with its escapes.
    Escaped(String),
    List(Vec<Self>),
    Object(Vec<(&'static str, Self)>),
}

impl Json {
    /// A text.
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// Adds its text.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Number(number) => write!(out, "{number}").expect("memory takes all"),
            Self::Text(text) => write!(out, "\"{}\"", escape(text)).expect("memory takes all"),
            Self::Escaped(text) => write!(out, "\"{text}\"").expect("memory takes all"),
            Self::List(items) => {
                out.push(b'[');
                for (number, item) in items.iter().enumerate() {
                    separate(number, out);
                    item.write(out);
                }
                out.push(b']');
            }
            Self::Object(fields) => {
                out.push(b'{');
                for (number, (key, value)) in fields.iter().enumerate() {
                    separate(number, out);
                    write!(out, "\"{key}\":").expect("memory takes all");
                    value.write(out);
                }
                out.push(b'}');
            }
        }
    }

    /// Spells a record in another way that means the same: keys in any order, messages with
    /// escapes, and one field that no reader knows.
    pub fn respell(&mut self, draw: &mut Draw) {
        self.reorder(draw);
        if let Self::Object(fields) = self {
            let place = draw.below(u32::try_from(fields.len()).expect("a few")) as usize;
            fields.insert(place, unknown(draw));
        }
    }

    fn reorder(&mut self, draw: &mut Draw) {
        match self {
            Self::Object(fields) => {
                draw.shuffle(fields);
                for (key, value) in fields {
                    match value {
                        Self::Text(text) if *key == "message" => *value = respelt(text, draw),
                        value => value.reorder(draw),
                    }
                }
            }
            Self::List(items) => items.iter_mut().for_each(|item| item.reorder(draw)),
            _ => {}
        }
    }
}

fn separate(number: usize, out: &mut Vec<u8>) {
    if number > 0 {
        out.push(b',');
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// A message with a line and a word more, and one of its letters as its number: no pattern finds
/// less or more in it, if it is read as JSON wants.
fn respelt(text: &str, draw: &mut Draw) -> Json {
    if text.is_empty() {
        return Json::text(text);
    }
    let place = draw.below(u32::try_from(text.len()).expect("a short text")) as usize;
    let letter = text.as_bytes()[place];
    assert!(text.is_ascii(), "a message of plain letters");
    let (before, after) = (escape(&text[..place]), escape(&text[place + 1..]));
    Json::Escaped(format!(
        "{before}\\u{:04x}{after}\\n(journal\\u0020\\u00e9t\\u00e9)",
        u32::from(letter)
    ))
}

/// A field that no reader knows.
fn unknown(draw: &mut Draw) -> (&'static str, Json) {
    let number = Json::Number(draw.below(1_000_000));
    match draw.below(3) {
        0 => ("attempt", number),
        1 => ("labels", Json::Object(vec![("team", Json::text("vision")), ("node", number)])),
        _ => ("trace", Json::List(vec![number, Json::text("a\"b]}"), Json::List(Vec::new())])),
    }
}
