//! Names that summaries count by, as small numbers: queues, categories, and the shapes of failures
//! that only a default caught.

use hashbrown::HashMap;
use std::sync::{PoisonError, RwLock};

/// A kind of failure: what those have in common that nobody wrote a rule for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Group {
    /// The failure category; empty without one.
    pub category: String,
    /// The exit code of the first failed container.
    pub exit_code: Option<i64>,
    /// The condition that held, if one did.
    pub condition: String,
    /// The message with its numbers taken out; empty without one.
    pub message: String,
}

/// How many kinds of failure are told apart by message. Past it messages are told apart no more.
const MOST_GROUPS: usize = 50_000;

/// All names that were met. Numbers hang on the order of meeting and are never shown.
#[derive(Debug, Default)]
pub struct Names {
    queues: Table<String>,
    categories: Table<String>,
    groups: Table<Group>,
}

/// Things and their numbers.
#[derive(Debug)]
struct Table<T>(RwLock<(HashMap<T, u32>, Vec<T>)>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<T: Clone + Eq + std::hash::Hash> Table<T> {
    fn number(&self, thing: T) -> u32 {
        if let Some(number) = self.0.read().unwrap_or_else(PoisonError::into_inner).0.get(&thing) {
            return *number;
        }
        let mut table = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let (numbers, things) = &mut *table;
        *numbers.entry(thing).or_insert_with_key(|thing| {
            things.push(thing.clone());
            u32::try_from(things.len() - 1).unwrap_or(u32::MAX)
        })
    }

    fn all(&self) -> Vec<T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    fn len(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).1.len()
    }
}

impl Names {
    /// The number of a queue.
    pub fn queue(&self, name: &str) -> u32 {
        self.queues.number(name.to_owned())
    }

    /// The number of a category.
    pub fn category(&self, name: &str) -> u32 {
        self.categories.number(name.to_owned())
    }

    /// The number of a kind of failure. When there are too many kinds a new one counts without
    /// its message.
    pub fn group(&self, group: Group) -> u32 {
        if self.groups.len() < MOST_GROUPS {
            return self.groups.number(group);
        }
        self.groups.number(Group { message: String::new(), ..group })
    }

    /// Queues by number.
    pub fn queues(&self) -> Vec<String> {
        self.queues.all()
    }

    /// Categories by number.
    pub fn categories(&self) -> Vec<String> {
        self.categories.all()
    }

    /// Kinds of failure by number, and whether messages tell them apart. Which kinds were met
    /// first is chance where threads race, so past the limit no message tells.
    pub fn groups(&self) -> (Vec<Group>, bool) {
        let mut groups = self.groups.all();
        let told = groups.len() < MOST_GROUPS;
        if !told {
            for group in &mut groups {
                group.message.clear();
            }
        }
        (groups, told)
    }
}

/// A thread's memory of names, so that it asks for each but once.
#[derive(Debug)]
pub struct NameCache<'n> {
    names: &'n Names,
    queues: HashMap<Box<str>, u32>,
    categories: HashMap<Box<str>, u32>,
    groups: HashMap<Group, u32>,
    asked: Group,
}

impl<'n> NameCache<'n> {
    /// Nothing asked for yet.
    pub fn new(names: &'n Names) -> Self {
        let (queues, categories, groups) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { names, queues, categories, groups, asked: Group::default() }
    }

    /// The number of a queue.
    pub fn queue(&mut self, name: &str) -> u32 {
        known(&mut self.queues, name, |name| self.names.queue(name))
    }

    /// The number of a category; that of the empty one without any.
    pub fn category(&mut self, name: Option<&str>) -> u32 {
        known(&mut self.categories, name.unwrap_or_default(), |name| self.names.category(name))
    }

    /// The number of a kind of failure.
    pub fn group(&mut self, labels: &Labels<'_>) -> u32 {
        let asked = &mut self.asked;
        asked.category.clear();
        asked.category.push_str(labels.category.unwrap_or_default());
        asked.condition.clear();
        asked.condition.push_str(labels.condition.unwrap_or_default());
        asked.exit_code = labels.exit_code;
        shape(labels.message.unwrap_or_default(), &mut asked.message);
        if let Some(number) = self.groups.get(&self.asked) {
            return *number;
        }
        let number = self.names.group(self.asked.clone());
        if self.groups.len() < MOST_GROUPS {
            self.groups.insert(self.asked.clone(), number);
        }
        number
    }
}

/// The number of a name, asked for only if it is not known.
fn known(numbers: &mut HashMap<Box<str>, u32>, name: &str, ask: impl Fn(&str) -> u32) -> u32 {
    if let Some(number) = numbers.get(name) {
        return *number;
    }
    let number = ask(name);
    numbers.insert(name.into(), number);
    number
}

/// What a failed run looks like from outside.
#[derive(Debug, Clone, Copy, Default)]
pub struct Labels<'r> {
    /// The failure category.
    pub category: Option<&'r str>,
    /// The exit code of the first failed container.
    pub exit_code: Option<i64>,
    /// The condition that held.
    pub condition: Option<&'r str>,
    /// The first message there is.
    pub message: Option<&'r str>,
}

/// How much of a message tells its shape, in bytes.
const SHAPE: usize = 120;

/// What messages have in common that differ in numbers only: every run of letters and digits that
/// holds a digit becomes `#`, and two of those with a dot between are one. Only the first line
/// counts.
fn shape(message: &str, out: &mut String) {
    out.clear();
    let line = message.trim_start();
    let mut from = 0;
    while from < line.len() && out.len() < SHAPE {
        let (end, digits) = run(line.as_bytes(), from);
        if digits {
            match out.strip_suffix("#.").map(str::len) {
                Some(before) => out.truncate(before + 1),
                None => out.push('#'),
            }
        } else {
            out.push_str(&line[from..end]);
        }
        // What ends a run is ASCII.
        match line.as_bytes().get(end) {
            None | Some(b'\n') => break,
            Some(byte) => out.push(char::from(*byte)),
        }
        from = end + 1;
    }
    let cut = (0..=SHAPE.min(out.len())).rev().find(|at| out.is_char_boundary(*at));
    out.truncate(cut.unwrap_or(0));
    out.truncate(out.trim_end().len());
}

/// What a byte is to a shape.
const DIGIT: u8 = 1;
const INSIDE: u8 = 2;

/// What every byte is: asked of every byte of every message that no rule caught.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte: u8 = 0;
    loop {
        classes[byte as usize] = if byte.is_ascii_digit() {
            INSIDE | DIGIT
        } else if byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii() {
            INSIDE
        } else {
            0
        };
        if byte == u8::MAX {
            break classes;
        }
        byte += 1;
    }
};

/// Where the run of letters and digits ends that begins here, and whether it holds a digit.
fn run(bytes: &[u8], from: usize) -> (usize, bool) {
    let mut all = 0;
    let mut end = from;
    for byte in &bytes[from..] {
        let class = CLASSES[usize::from(*byte)];
        if class == 0 {
            break;
        }
        all |= class;
        end += 1;
    }
    (end, all & DIGIT != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shaped(message: &str) -> String {
        let mut out = String::new();
        shape(message, &mut out);
        out
    }

    #[test]
    fn messages_that_differ_in_numbers_have_one_shape() {
        assert_eq!(
            shaped("dial tcp 10.1.2.3:443: connect: connection refused"),
            "dial tcp #:#: connect: connection refused"
        );
        assert_eq!(
            shaped("exited with status 3 after 17 steps"),
            shaped("exited with status 4 after 9 steps")
        );
        assert_eq!(shaped("CUDA error\nat 0x1f"), "CUDA error");
        assert_eq!(shaped("s3://logs/run-7/out.txt"), "#://logs/run-#/out.txt");
        assert_eq!(shaped(""), "");
    }

    proptest::proptest! {
        #[test]
        fn a_shape_is_short_and_never_panics(text: String) {
            proptest::prop_assert!(shaped(&text).len() <= SHAPE);
        }
    }
}
