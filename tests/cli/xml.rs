//! XML as far as the reports and their schema use it: a strict reader.

use std::iter::Peekable;
use std::str::Chars;

/// An element with its attributes and content.
#[derive(Debug)]
pub struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
    /// All text directly in the element.
    pub text: String,
}

impl Element {
    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The element and all elements in it that have a name.
    pub fn all<'e>(&'e self, name: &'e str) -> Vec<&'e Element> {
        let own = Some(self).filter(|element| element.name == name);
        let inner = self.children.iter().flat_map(|child| child.all(name));
        own.into_iter().chain(inner).collect()
    }
}

/// Reads a document, which has to be well-formed.
pub fn parse(text: &str) -> Result<Element, String> {
    if let Some(bad) = text.chars().find(|c| !is_char(*c)) {
        return Err(format!("{bad:?} is no character of XML 1.0"));
    }
    let mut reader = Reader { rest: text };
    if let Some(rest) = reader.rest.strip_prefix("<?xml") {
        reader.rest = rest.split_once("?>").ok_or("the declaration does not end")?.1;
    }
    reader.skip_misc()?;
    let root = reader.element()?;
    reader.skip_misc()?;
    if reader.rest.is_empty() { Ok(root) } else { Err(format!("more: {:.40}", reader.rest)) }
}

/// Whether XML 1.0 has a character.
fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn skip_misc(&mut self) -> Result<(), String> {
        loop {
            self.rest = self.rest.trim_start();
            let Some(rest) = self.rest.strip_prefix("<!--") else { return Ok(()) };
            self.rest = rest.split_once("-->").ok_or("a comment does not end")?.1;
        }
    }

    fn name(&mut self) -> Result<&'t str, String> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_-:.".contains(c);
        let end = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        if name.is_empty() { Err(format!("no name: {rest:.40}")) } else { Ok(name) }
    }

    fn take(&mut self, text: &str) -> Result<(), String> {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.ok_or_else(|| format!("expected `{text}`: {:.40}", self.rest))?;
        Ok(())
    }

    fn element(&mut self) -> Result<Element, String> {
        self.take("<")?;
        let name = self.name()?.to_owned();
        let mut element =
            Element { name, attributes: Vec::new(), children: Vec::new(), text: String::new() };
        loop {
            let before = self.rest.len();
            self.rest = self.rest.trim_start();
            if self.rest.starts_with("/>") {
                self.take("/>")?;
                return Ok(element);
            }
            if self.rest.starts_with('>') {
                break;
            }
            if before == self.rest.len() {
                return Err(format!("no space before an attribute: {:.40}", self.rest));
            }
            let (key, value) = self.attribute()?;
            if element.get(&key).is_some() {
                return Err(format!("`{key}` twice"));
            }
            element.attributes.push((key, value));
        }
        self.take(">")?;
        self.content(&mut element)?;
        Ok(element)
    }

    fn attribute(&mut self) -> Result<(String, String), String> {
        let key = self.name()?.to_owned();
        self.take("=")?;
        let quote = self.rest.chars().next().filter(|c| "\"'".contains(*c)).ok_or("no quote")?;
        let (value, rest) = self.rest[1..].split_once(quote).ok_or("a value does not end")?;
        self.rest = rest;
        if value.contains('<') {
            return Err(format!("`<` in {value}"));
        }
        Ok((key, unescape(value)?))
    }

    fn content(&mut self, element: &mut Element) -> Result<(), String> {
        loop {
            let end = self.rest.find('<').ok_or("an element does not end")?;
            let (text, rest) = self.rest.split_at(end);
            element.text += &unescape(text)?;
            self.rest = rest;
            if rest.starts_with("<!--") {
                self.rest = rest.split_once("-->").ok_or("a comment does not end")?.1;
            } else if let Some(rest) = rest.strip_prefix("<![CDATA[") {
                let (text, rest) = rest.split_once("]]>").ok_or("a section does not end")?;
                element.text += text;
                self.rest = rest;
            } else if let Some(rest) = rest.strip_prefix("</") {
                self.rest = rest;
                self.take(&element.name)?;
                return self.take(">");
            } else {
                element.children.push(self.element()?);
            }
        }
    }
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(if c == '&' { reference(&mut chars)? } else { c });
    }
    Ok(out)
}

fn reference(chars: &mut Peekable<Chars<'_>>) -> Result<char, String> {
    let mut name = String::new();
    while chars.peek().is_some_and(|c| c.is_ascii_alphanumeric() || *c == '#') {
        name.extend(chars.next());
    }
    if chars.next() != Some(';') {
        return Err(format!("&{name} does not end"));
    }
    let number =
        |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    let c = match name.as_str() {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        name => match (name.strip_prefix("#x"), name.strip_prefix('#')) {
            (Some(digits), _) => number(digits, 16),
            (None, Some(digits)) => number(digits, 10),
            (None, None) => None,
        },
    };
    c.filter(|c| is_char(*c)).ok_or_else(|| format!("&{name};"))
}

#[test]
fn what_is_not_well_formed_is_refused() {
    let read =
        parse("<?xml version=\"1.0\"?>\n<!-- c --><a b='1&#10;&lt;'>x &amp; <c/>y</a>\n").unwrap();
    assert_eq!((read.get("b"), read.text.as_str()), (Some("1\n<"), "x & y"));
    assert_eq!(parse("<a>1<![CDATA[<b> && ]]>2</a>").unwrap().text, "1<b> && 2");
    for text in [
        "",
        "<a>",
        "<a></b>",
        "<a b=1/>",
        "<a b='1' b='2'/>",
        "<a b='1'c='2'/>",
        "<a>&x;</a>",
        "<a b='<'/>",
        "<a/><b/>",
        "<a>\u{b}</a>",
        "<a>&#0;</a>",
        "<a><![CDATA[</a>",
        "<a>&amp</a>",
        "x<a/>",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
}
