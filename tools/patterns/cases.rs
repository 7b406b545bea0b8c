//! Prints cases for `tools/patterns/run`: patterns and texts made from a seed,
//! each with what this crate says of them, one JSON object a line.
//!
//! `cargo run --release --features tools --example pattern_cases -- [SEED] [CASES]`
//!
//! With `-` for the seed, the patterns and texts are read from standard input, in
//! the same form.

use std::io::{BufRead, BufWriter, Write};

use document::pattern::Pattern;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut out = BufWriter::new(std::io::stdout().lock());
    if arguments.first().is_some_and(|first| first == "-") {
        for line in std::io::stdin().lock().lines() {
            let case: Value = serde_json::from_str(&line?)?;
            let field = |name: &str| case[name].as_str().ok_or(format!("no {name}"));
            writeln!(out, "{}", verdict(field("pattern")?, field("text")?))?;
        }
        return Ok(());
    }
    let number = |at: usize, default| arguments.get(at).map_or(Ok(default), |text| text.parse());
    let (seed, cases): (u64, u64) = (number(0, 1)?, number(1, 100_000)?);
    for case in 0..cases {
        let start =
            seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ case.wrapping_mul(0xd134_2543_de82_ef95);
        let (pattern, text) = Maker { random: &mut Random(start) }.case();
        writeln!(out, "{}", verdict(&pattern, &text))?;
    }
    Ok(())
}

/// What this crate says of a pattern and a text.
fn verdict(pattern: &str, text: &str) -> Value {
    match Pattern::parse(pattern) {
        Err(error) => json!({
            "pattern": pattern, "text": text, "ok": false, "error": error.kind.go_message(),
        }),
        Ok(parsed) => {
            let single = parsed.regex().map(|regex| regex.is_match(text)).ok();
            let set = Pattern::regex_set([&parsed, &parsed].into_iter()).map(|regex| {
                let mut found = regex_automata::PatternSet::new(2);
                regex.which_overlapping_matches(&regex_automata::Input::new(text), &mut found);
                (found.len() == 2, found.is_empty())
            });
            // One automaton for several patterns must say the same as one for each.
            let agree = match (single, set) {
                (Some(matched), Ok((all, none))) => matched == all && matched != none,
                _ => true,
            };
            json!({ "pattern": pattern, "text": text, "ok": true, "match": single, "set_agrees": agree })
        }
    }
}

/// A small generator of pseudo-random numbers (`SplitMix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap_or(0)
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}

/// Characters with surprises: letters whose case folding leaves ASCII or has
/// three members, white space that is and is not `\s`, several byte lengths.
const CHARS: &str = "abcdkKsSzZAB019_ -.,:;/'\"!#%&=<>~@\t\n\r\u{b}\u{c}\0\u{7f}ſKßẞΔδΣσςµμΜéÉİıǅǆΐΐﬅﬆꟋɤ中語😀\u{fffd}\u{a0}\u{2028}\u{1171e}\u{d7ff}\u{e000}\u{10ffff}Ⅷⅷ𐐀𐐨";

const ESCAPES: &[(&str, &str)] = &[
    ("\\a", "\u{7}"),
    ("\\f", "\u{c}"),
    ("\\n", "\n"),
    ("\\r", "\r"),
    ("\\t", "\t"),
    ("\\v", "\u{b}"),
    ("\\x41", "A"),
    ("\\x{212a}", "k"),
    ("\\x{10FFFF}", "\u{10ffff}"),
    ("\\x{0000061}", "a"),
    ("\\101", "A"),
    ("\\0", "\0"),
    ("\\012", "\n"),
    ("\\07", "\u{7}"),
    ("\\1234", "S4"),
    ("\\.", "."),
    ("\\_", "_"),
    ("\\-", "-"),
    ("\\]", "]"),
    ("\\[", "["),
    ("\\\\", "\\"),
    ("\\/", "/"),
    ("\\{", "{"),
    ("\\ ", " "),
    ("\\x{d7ff}", "\u{d7ff}"),
    ("\\x{E000}", "\u{e000}"),
    ("\\x7F", "\u{7f}"),
    ("\\x{d800}", "\u{d7ff}"),
    ("\\x{DFFF}", "\u{e000}"),
    ("\\x{FFFD}", "\u{fffd}"),
];

const SETS: &[(&str, &str)] = &[
    ("\\d", "7"),
    ("\\D", "x"),
    ("\\w", "k"),
    ("\\W", "ſ"),
    ("\\s", " "),
    ("\\S", "\u{b}"),
    ("\\pL", "é"),
    ("\\PL", "1"),
    ("\\p{Lu}", "K"),
    ("\\p{Ll}", "k"),
    ("\\P{Lu}", "s"),
    ("\\p{^Lu}", "S"),
    ("\\p{Greek}", "Δ"),
    ("\\P{^greek}", "σ"),
    ("\\pN", "Ⅷ"),
    ("\\p{Any}", "中"),
    ("\\P{Any}", ""),
    ("\\p{Cyrillic}", "ж"),
    ("\\p{Mn}", "\u{1171e}"),
    ("\\p{Mc}", "\u{1171e}"),
    ("\\p{ascii}", "~"),
    ("\\p{Assigned}", "ꟋɤA"),
    ("\\p{Cn}", "\u{a7cb}"),
    ("\\p{LC}", "ǅ"),
    ("\\p{Letter}", "語"),
    ("\\p{upper case_letter}", "Σ"),
    ("\\p{Co}", "\u{e000}"),
    ("\\p{Cs}", "x"),
    ("\\pZ", "\u{2028}"),
    ("\\p{Han}", "中"),
    ("\\p{Zs}", "\u{a0}"),
    ("\\p{Lt}", "ǅ"),
    ("\\p{Common}", "1"),
    ("\\p{punct}", "!"),
];

const POSIX: &[&str] = &[
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

/// Pieces put at random places, to be refused or to mean something unforeseen.
const NOISE: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "|",
    "*",
    "+",
    "?",
    "^",
    "$",
    ".",
    "\\",
    "-",
    ",",
    "(?",
    "(?:",
    "(?i)",
    "(?-i)",
    "(?s-m:",
    "(?P<n>",
    "(?<n>",
    "(?P<n",
    "(?P<",
    "(?<",
    "(?<=",
    "(?<!",
    "(?=",
    "(?!",
    "(?>",
    "(?#",
    "(?x)",
    "(?i-)",
    "(?-)",
    "(?--i)",
    "(?P=n)",
    "(?P>n)",
    "(?|",
    "(?'n'",
    "(?U)",
    "(?u)",
    "(?R)",
    "[:",
    ":]",
    "[:alpha:]",
    "[[:foo:]]",
    "[^",
    "[^]",
    "[]",
    "[a-\\d]",
    "[z-a]",
    "[--a]",
    "[a-]",
    "[\\b]",
    "&&",
    "~~",
    "--",
    "\\Q",
    "\\E",
    "\\p",
    "\\P",
    "\\p{",
    "\\pX",
    "\\p{^",
    "\\p{Klingon}",
    "\\p{Old_Italic}",
    "\\p{}",
    "\\p{^^Lu}",
    "\\x",
    "\\x{",
    "\\x{}",
    "\\x{110000}",
    "\\x{g}",
    "\\x4",
    "\\1",
    "\\8",
    "\\9",
    "\\10",
    "\\08",
    "\\u0041",
    "\\C",
    "\\Z",
    "\\z",
    "\\A",
    "\\b",
    "\\B",
    "\\G",
    "\\K",
    "\\k<n>",
    "\\y",
    "\\é",
    "\\h",
    "\\R",
    "\\X",
    "\\N",
    "{0}",
    "{1}",
    "{2,}",
    "{,2}",
    "{2,1}",
    "{1001}",
    "{0,1001}",
    "{01}",
    "{1,02}",
    "{99999999999}",
    "{2",
    "{2,",
    "{a}",
    "**",
    "++",
    "+?",
    "??",
    "*?*",
    "{2}{3}",
    "{1000}",
    "{50}",
    "é",
    "😀",
    "\0",
    "\n",
    " ",
    "k",
    "S",
];

struct Maker<'r> {
    random: &'r mut Random,
}

impl Maker<'_> {
    fn case(&mut self) -> (String, String) {
        let (mut pattern, mut text) = (String::new(), String::new());
        match self.random.below(10) {
            0 => {
                for _ in 0..=self.random.below(8) {
                    pattern.push_str(self.random.pick(NOISE));
                }
            }
            1 => pattern = self.characters(12),
            _ => {
                let depth = self.random.below(4);
                self.alternatives(depth, &mut pattern, &mut text);
            }
        }
        if self.random.chance(25) {
            for _ in 0..=self.random.below(3) {
                self.mutate(&mut pattern);
            }
        }
        self.distort(&mut text);
        (pattern, text)
    }

    fn alternatives(&mut self, depth: usize, pattern: &mut String, text: &mut String) {
        let choices = if self.random.chance(30) { 1 + self.random.below(4) } else { 1 };
        let kept = self.random.below(choices);
        for choice in 0..choices {
            if choice > 0 {
                pattern.push('|');
            }
            let mut sample = String::new();
            for _ in 0..self.random.below(5) {
                self.repeated(depth, pattern, &mut sample);
            }
            if choice == kept {
                text.push_str(&sample);
            }
        }
    }

    fn repeated(&mut self, depth: usize, pattern: &mut String, text: &mut String) {
        let mut sample = String::new();
        self.atom(depth, pattern, &mut sample);
        if !self.random.chance(35) {
            text.push_str(&sample);
            return;
        }
        let low = self.random.below(4);
        let high = low + self.random.below(3);
        let (operator, times) = match self.random.below(6) {
            0 => ("*".to_owned(), self.random.below(3)),
            1 => ("+".to_owned(), 1 + self.random.below(2)),
            2 => ("?".to_owned(), self.random.below(2)),
            3 => (format!("{{{low}}}"), low),
            4 => (format!("{{{low},}}"), low + self.random.below(2)),
            _ => (format!("{{{low},{high}}}"), high),
        };
        pattern.push_str(&operator);
        if self.random.chance(25) {
            pattern.push('?');
        }
        text.push_str(&sample.repeat(times));
    }

    fn atom(&mut self, depth: usize, pattern: &mut String, text: &mut String) {
        match self.random.below(if depth > 0 { 16 } else { 11 }) {
            0..=3 => {
                let literal = self.character();
                if regex_syntax::is_meta_character(literal)
                    && !self.random.chance(10)
                    && literal.is_ascii_punctuation()
                {
                    pattern.push('\\');
                }
                pattern.push(literal);
                text.push(literal);
            }
            4 => {
                pattern.push('.');
                text.push(self.character());
            }
            5 => self.class(pattern, text),
            6 => self.pair(SETS, pattern, text),
            7 => self.pair(ESCAPES, pattern, text),
            8 => pattern
                .push_str(self.random.pick(&["^", "$", "\\b", "\\B", "\\A", "\\z", "\\B", "\\b"])),
            9 => {
                let quoted = self.characters(4).replace("\\E", "");
                pattern.push_str("\\Q");
                pattern.push_str(&quoted);
                pattern.push_str("\\E");
                text.push_str(&quoted);
            }
            10 => pattern.push_str(self.random.pick(&[
                "(?i)", "(?s)", "(?m)", "(?U)", "(?im)", "(?-i)", "(?i-s)", "(?s-im)", "(?ismU)",
                "(?)",
            ])),
            _ => {
                pattern.push_str(self.random.pick(&[
                    "(", "(?:", "(?i:", "(?s:", "(?m:", "(?-i:", "(?i-m:", "(?P<n>", "(?<n1>",
                    "(?P<_>",
                ]));
                self.alternatives(depth - 1, pattern, text);
                pattern.push(')');
            }
        }
    }

    fn class(&mut self, pattern: &mut String, text: &mut String) {
        pattern.push('[');
        let negated = self.random.chance(30);
        if negated {
            pattern.push('^');
        }
        if self.random.chance(5) {
            pattern.push(self.random.pick(&["]", "-"]).chars().next().unwrap_or(']'));
        }
        let mut sample = String::new();
        for _ in 0..=self.random.below(4) {
            sample.clear();
            match self.random.below(8) {
                7 => {
                    let (a, b) = (self.random.below(0x11_0000), self.random.below(0x11_0000));
                    pattern.push_str(&format!("\\x{{{:x}}}-\\x{{{:X}}}", a.min(b), a.max(b)));
                    sample.push(self.character());
                }
                0 => self.pair(SETS, pattern, &mut sample),
                1 => self.pair(ESCAPES, pattern, &mut sample),
                2 => {
                    let name = self.random.pick(POSIX);
                    let caret = if self.random.chance(30) { "^" } else { "" };
                    pattern.push_str(&format!("[:{caret}{name}:]"));
                    sample.push(self.character());
                }
                3 | 4 => {
                    let (a, b) = (self.character(), self.character());
                    let plain = |c: char| !matches!(c, '-' | ']' | '\\' | '[' | '^');
                    if plain(a) && plain(b) {
                        pattern.push_str(&format!("{}-{}", a.min(b), a.max(b)));
                        sample.push(a);
                    }
                }
                _ => {
                    let member = self.character();
                    pattern.push(member);
                    sample.push(member);
                }
            }
        }
        if pattern.ends_with(['[', '^']) {
            pattern.push('q');
        }
        pattern.push(']');
        if negated {
            sample = self.character().into();
        }
        text.push_str(&sample);
    }

    fn pair(&mut self, pairs: &[(&str, &str)], pattern: &mut String, text: &mut String) {
        let (written, sample) = pairs[self.random.below(pairs.len())];
        pattern.push_str(written);
        text.push_str(sample);
    }

    fn character(&mut self) -> char {
        if self.random.chance(3) {
            let code = u32::try_from(self.random.below(0x11_0000)).unwrap_or(0);
            return char::from_u32(code).unwrap_or('\u{fffd}');
        }
        if self.random.chance(55) {
            return char::from(b"abkKsSzA01 _"[self.random.below(12)]);
        }
        let at = self.random.below(CHARS.chars().count());
        CHARS.chars().nth(at).unwrap_or('a')
    }

    fn characters(&mut self, most: usize) -> String {
        (0..self.random.below(most + 1)).map(|_| self.character()).collect()
    }

    /// Inserts, deletes, doubles or cuts.
    fn mutate(&mut self, pattern: &mut String) {
        let places: Vec<usize> =
            pattern.char_indices().map(|(at, _)| at).chain([pattern.len()]).collect();
        let at = places[self.random.below(places.len())];
        let to = places[self.random.below(places.len())];
        let (from, to) = (at.min(to), at.max(to));
        match self.random.below(6) {
            0..=2 => pattern.insert_str(at, self.random.pick(NOISE)),
            3 if at < pattern.len() => {
                pattern.remove(at);
            }
            4 if pattern.len() < 200 => {
                let part = pattern[from..to].to_owned();
                pattern.insert_str(to, &part);
            }
            5 => pattern.truncate(at),
            _ => pattern.insert(at, self.character()),
        }
    }

    /// Surrounds and damages a text that may match, so that some do not.
    fn distort(&mut self, text: &mut String) {
        if self.random.chance(20) {
            self.mutate(text);
        }
        if self.random.chance(20) {
            let swap = |c: char| {
                if c.is_lowercase() { c.to_uppercase().next() } else { c.to_lowercase().next() }
            };
            *text = text.chars().map(|c| swap(c).unwrap_or(c)).collect();
        }
        if self.random.chance(40) {
            text.insert_str(0, &self.characters(3));
        }
        if self.random.chance(40) {
            text.push_str(&self.characters(3));
        }
        if self.random.chance(5) {
            *text = self.characters(10);
        }
        // Engines keep what a text so long needs; one character is as good as many.
        while text.len() > 400 {
            text.pop();
        }
    }
}
