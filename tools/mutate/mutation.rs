//! Documents made of others by random changes, the same ones for the same seed.

use std::path::Path;

/// A document to change.
#[derive(Debug)]
pub struct Sample {
    /// The ending of its file's name.
    pub ending: String,
    pub bytes: Vec<u8>,
    /// Whether it is meant to be valid.
    is_good: bool,
}

/// Larger files are left out: most of what is tried would be spent on them.
const LARGEST: u64 = 32 << 10;

/// The files of folders and of those inside them, in the order of their names.
pub fn samples(folders: &[&Path]) -> Vec<Sample> {
    let mut found = Vec::new();
    for folder in folders {
        collect(folder, &mut found);
    }
    found
}

fn collect(folder: &Path, found: &mut Vec<Sample>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, found);
        } else if path.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST) {
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("yaml");
            let bytes = std::fs::read(&path).unwrap_or_default();
            let name = path.to_string_lossy();
            let is_good = ["examples", "fixed", "vectors", "cli", "sources", "cluster"]
                .iter()
                .any(|part| name.contains(part));
            found.push(Sample { ending: ending.to_owned(), bytes, is_good });
        }
    }
}

/// `SplitMix64`: good enough to choose with, and the same everywhere.
#[derive(Debug)]
pub struct Draw(u64);

impl Draw {
    /// The draws of one document of a run.
    pub fn new(seed: u64, document: u64) -> Self {
        let mut draw = Self(seed);
        let start = draw.next() ^ document.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self(start)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a bound, 0 where the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound.max(1) as u64;
        usize::try_from(self.next() % bound).unwrap_or(0)
    }

    pub fn one_of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

const KINDS: [&str; 9] =
    ["RetryPolicy", "Queue", "FailureHistory", "RetryProfile", "Job", "JobSet", "List", "Pod", ""];
const VERSIONS: [&str; 7] = [
    "armadaproject.io/v1",
    "armadaproject.io/v1beta1",
    "batch/v1",
    "jobset.x-k8s.io/v1alpha2",
    "v1",
    "",
    "[v1]",
];

/// Values that readers get wrong.
const VALUES: [&str; 51] = [
    "",
    "~",
    "null",
    "true",
    "yes",
    "True",
    "\"True\"",
    "0",
    "-1",
    "-0",
    "010",
    "1_000",
    "3.0",
    "1e1",
    "1e400",
    "-1e-400",
    ".inf",
    "-.inf",
    ".nan",
    "NaN",
    "9223372036854775808",
    "340282366920938463463374607431768211456",
    "0x7fffffffffffffff",
    "4294967295",
    "4294967296",
    "{seconds: 9223372036854775807, nanos: 1}",
    "+inf",
    "2147483648",
    "2026-02-30",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999999Z",
    "-292000y",
    "2562048h",
    "9223372036s",
    "1ns",
    "8Ei",
    "1n",
    "0.0000000001",
    "[]",
    "{}",
    "[[[[]]]]",
    "{a: {a: {a: {}}}}",
    "\"\\u0000\"",
    "\"\\e[31m\\u202e\"",
    "&a [*a]",
    "*lost",
    "!!binary aGVsbG8=",
    "!!int x",
    "'(?i)\\pL{1000}'",
    "'a{1000}{1000}'",
    "|\n  text\n",
];

/// A changed document: one to four changes of one of the samples.
pub fn document(samples: &[Sample], draw: &mut Draw) -> Sample {
    // Of what is bad from the start little is read; most documents begin as good ones.
    let mut sample = draw.one_of(samples);
    for _ in 0..draw.below(6) {
        if !sample.is_good {
            sample = draw.one_of(samples);
        }
    }
    let (mut bytes, mut ending) = (sample.bytes.clone(), sample.ending.clone());
    for _ in 0..*draw.one_of(&[1, 1, 1, 2, 2, 3, 5]) {
        change(&mut bytes, samples, draw);
    }
    if draw.below(16) == 0 {
        (*draw.one_of(&["yaml", "json", "jsonl", "txt"])).clone_into(&mut ending);
    }
    Sample { ending, bytes, is_good: false }
}

fn change(bytes: &mut Vec<u8>, samples: &[Sample], draw: &mut Draw) {
    match draw.below(14) {
        0 => flip(bytes, draw),
        1 => bytes.truncate(draw.below(bytes.len())),
        2 => splice(bytes, &draw.one_of(samples).bytes, draw),
        3 => {
            bytes.extend_from_slice(draw.one_of(&["", "\n", "---\n", "\n---\n"]).as_bytes());
            bytes.extend_from_slice(&draw.one_of(samples).bytes);
        }
        4 => head(bytes, draw),
        5 => {
            let at = draw.below(bytes.len() + 1);
            let odd = [
                "\u{0}",
                "\t",
                "\r",
                "\u{feff}",
                "\u{2028}",
                "\u{1b}[2J",
                "&x ",
                "*x",
                "{{ .x }}",
                "${X}",
                "<<: *x\n",
                "- ",
                "? ",
            ];
            bytes.splice(at..at, draw.one_of(&odd).bytes());
        }
        6..=9 => value(bytes, draw),
        10 => key(bytes, draw),
        _ => lines(bytes, draw),
    }
}

fn flip(bytes: &mut [u8], draw: &mut Draw) {
    for _ in 0..=draw.below(8) {
        let at = draw.below(bytes.len());
        let bit = draw.below(8);
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << bit;
        }
    }
}

fn splice(bytes: &mut Vec<u8>, other: &[u8], draw: &mut Draw) {
    let from = draw.below(other.len() + 1);
    let to = from + draw.below(other.len() - from + 1);
    let at = draw.below(bytes.len() + 1);
    let end = at + draw.below(bytes.len() - at + 1);
    bytes.splice(at..end, other[from..to].iter().copied());
}

/// Another kind or version.
fn head(bytes: &mut Vec<u8>, draw: &mut Draw) {
    let (key, value) = if draw.below(2) == 0 {
        ("kind: ", *draw.one_of(&KINDS))
    } else {
        ("apiVersion: ", *draw.one_of(&VERSIONS))
    };
    let text = String::from_utf8_lossy(bytes).into_owned();
    let changed =
        |line: &str| if line.starts_with(key) { format!("{key}{value}") } else { line.to_owned() };
    *bytes = text.lines().map(|line| changed(line) + "\n").collect::<String>().into_bytes();
}

/// Lines removed, doubled, exchanged, indented otherwise.
fn lines(bytes: &mut Vec<u8>, draw: &mut Draw) {
    let mut lines: Vec<Vec<u8>> = bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (at, other) = (draw.below(lines.len()), draw.below(lines.len()));
    match draw.below(5) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(other, lines[at].clone()),
        2 => lines.swap(at, other),
        3 => lines[at].splice(0..0, *b"  ").for_each(drop),
        _ => {
            let times = [2, 50, 2000][draw.below(3)];
            let line = lines[at].clone();
            lines.splice(at..at, std::iter::repeat_n(line, times)).for_each(drop);
        }
    }
    *bytes = lines.join(&b'\n');
}

/// Where scalars begin and end: after `: `, `- `, `[`, `,` and in JSON after `":`.
fn value(bytes: &mut Vec<u8>, draw: &mut Draw) {
    let starts: Vec<usize> = bytes
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| matches!(*pair, b": " | b"- " | b", " | b"\":") || pair[0] == b'[')
        .map(|(at, pair)| at + if pair[0] == b'[' { 1 } else { 2 })
        .collect();
    if starts.is_empty() {
        return;
    }
    let start = *draw.one_of(&starts);
    let ends = |byte: &u8| matches!(byte, b'\n' | b',' | b'}' | b']');
    let end = bytes[start..].iter().position(ends).map_or(bytes.len(), |length| start + length);
    bytes.splice(start..end, draw.one_of(&VALUES).bytes());
}

/// A key renamed, in another case, or doubled.
fn key(bytes: &mut Vec<u8>, draw: &mut Draw) {
    let colons: Vec<usize> =
        bytes.iter().enumerate().filter(|(_, byte)| **byte == b':').map(|(at, _)| at).collect();
    if colons.is_empty() {
        return;
    }
    let colon = *draw.one_of(&colons);
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'"');
    let start = bytes[..colon].iter().rposition(|byte| !is_key(byte)).map_or(0, |at| at + 1);
    let word = bytes[start..colon].to_vec();
    let new = match draw.below(4) {
        0 => word.to_ascii_uppercase(),
        1 => [word.as_slice(), b"s"].concat(),
        2 => [word.as_slice(), b": 1, ", word.as_slice()].concat(),
        _ => [word.as_slice(), b": 1\n", word.as_slice()].concat(),
    };
    bytes.splice(start..colon, new);
}
