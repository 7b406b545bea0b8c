//! Random lines as texts: common ones in all spellings, and odd ones.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// The text of a JSON value.
type Text = BoxedStrategy<String>;

fn one_of(texts: &[&str]) -> Text {
    select(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()).boxed()
}

fn space() -> Text {
    prop_oneof![8 => Just(String::new()), 1 => "[ \t\r\n]{1,3}"].boxed()
}

/// A valid string: plain pieces, escapes, characters of every length.
fn string() -> Text {
    let escapes =
        one_of(&[r"\n", r#"\""#, r"\\", r"\/", r"\b", r"\f", r"\r", r"\t", r"\u0000", r"\u00e9"]);
    let long = one_of(&[r"\uFFFF", r"\ud83d\uDE00", "é", "日本", "😀", "\u{7f}"]);
    let piece = prop_oneof![4 => "[ !#-Z^-~]{0,20}", 1 => escapes, 1 => long];
    vec(piece, 0..5).prop_map(|pieces| format!("\"{}\"", pieces.concat())).boxed()
}

/// An invalid string.
fn bad_string() -> Text {
    let bad = [r"\ud800", r"\udc00x", r"\ud800\u0041", r"\x", r"\u12", "\u{1}", "\n", r"\", "\""];
    (string(), one_of(&bad), string())
        .prop_map(|(before, bad, after)| {
            format!("{}{bad}{}", before.trim_end_matches('"'), after.trim_start_matches('"'))
        })
        .boxed()
}

fn number() -> Text {
    let odd = ["0", "-0", "1.0", "1e999", "-1E-7", "18446744073709551616", "4294967296", "0.5e+3"];
    prop_oneof![
        any::<u8>().prop_map(|n| n.to_string()),
        any::<i64>().prop_map(|n| n.to_string()),
        one_of(&odd)
    ]
    .boxed()
}

fn between(open: char, items: &[String], close: char) -> String {
    format!("{open}{}{close}", items.join(","))
}

/// A text with whitespace around it.
fn spaced(text: Text) -> Text {
    (space(), text, space()).prop_map(|(before, text, after)| before + &text + &after).boxed()
}

fn list(item: Text) -> Text {
    prop_oneof![
        6 => vec(spaced(item), 0..4).prop_map(|items| between('[', &items, ']')),
        1 => Just("[ ]".to_owned()),
    ]
    .boxed()
}

/// An object with some of the others, in any order. `spell` spells the keys.
fn object(required: Vec<(&str, Text)>, others: Vec<(&str, Text)>, spell: fn(&str) -> Text) -> Text {
    let member = |(key, value): (&str, Text)| {
        (spaced(spell(key)), spaced(value)).prop_map(|(key, value)| format!("{key}:{value}"))
    };
    let required: Vec<_> = required.into_iter().map(member).collect();
    let others: Vec<_> =
        others.into_iter().map(|other| prop::option::of(member(other).boxed())).collect();
    // No field begins with a question mark.
    let unknown = ("\"[?][a-z/.]{0,4}\"", spaced(any_value()));
    let unknown = vec(unknown.prop_map(|(key, value)| format!("{key}:{value}")), 0..3);
    (required, others, unknown)
        .prop_map(|(required, others, unknown)| -> Vec<String> {
            required.into_iter().chain(others.into_iter().flatten()).chain(unknown).collect()
        })
        .prop_shuffle()
        .prop_map(|members| between('{', &members, '}'))
        .boxed()
}

/// An object with any keys.
fn map(value: Text) -> Text {
    let member = (spaced(string()), spaced(value));
    let member = member.prop_map(|(key, value)| format!("{key}:{value}"));
    vec(member, 0..4).prop_map(|members| between('{', &members, '}')).boxed()
}

fn plain_key(key: &str) -> Text {
    Just(format!("\"{key}\"")).boxed()
}

/// A key, sometimes with an escape for its first letter.
fn any_key(key: &str) -> Text {
    let (first, rest) = key.split_at(1);
    let escaped = format!("\"\\u{:04x}{rest}\"", u32::from(first.as_bytes()[0]));
    prop_oneof![9 => Just(format!("\"{key}\"")), 1 => Just(escaped)].boxed()
}

/// Any valid value.
fn any_value() -> Text {
    let leaf = prop_oneof![one_of(&["null", "true", "false"]), number(), string()];
    leaf.prop_recursive(4, 16, 4, |inner| {
        prop_oneof![list(inner.clone().boxed()), map(inner.boxed())]
    })
    .boxed()
}

/// A string that is not empty and mostly unique.
fn name() -> Text {
    let named = (any::<u32>(), string());
    named.prop_map(|(number, text)| format!("\"{number}{}", &text[1..])).boxed()
}

/// Times of one notation, none of which is before the first.
fn times(notation: usize) -> [Text; 2] {
    let texts = [
        ["\"0s\"", "\"1m\"", "\"36h0.5s\""],
        [
            "\"2026-10-01T00:00:00Z\"",
            "\"2026-10-01T01:00:00.25+01:00\"",
            "\"2027-01-01T00:00:00Z\"",
        ],
    ][notation];
    [one_of(&[texts[0], "\"\""]), one_of(&[texts[0], texts[1], texts[2], "\"\""])]
}

/// A line in which `value` replaces the valid value of each known key, and `spell` spells the keys within values.
fn line(value: impl Fn(Text) -> Text, spell: fn(&str) -> Text, notation: usize) -> Text {
    let nullable = |text: Text| prop_oneof![5 => text, 1 => Just("null".to_owned())].boxed();
    let good = |text: Text| value(nullable(text));
    let whole = || any::<u32>().prop_map(|number| number.to_string()).boxed();
    let positive = || (1..=u32::MAX).prop_map(|number| number.to_string()).boxed();
    let integer = || any::<i32>().prop_map(|number| number.to_string()).boxed();
    let amount = || prop_oneof![positive(), one_of(&[r#""1\u0047i""#, "\"500m\"", "\"\""])].boxed();
    let container = object(
        vec![("name", value(name()))],
        vec![
            ("init", good(one_of(&["true", "false"]))),
            ("exitCode", good(integer())),
            ("reason", good(string())),
            ("message", good(string())),
        ],
        spell,
    );
    let gang = vec![("id", value(name())), ("cardinality", value(positive()))];
    let gang = object(gang, vec![], spell);
    let resources = ["cpu", "memory", "nvidia.com/gpu"].map(|key| (key, good(amount())));
    let resources = object(vec![], resources.into(), spell);
    let mut others = vec![
        ("annotations", good(map(good(string())))),
        ("resources", good(resources)),
        ("gang", good(gang)),
        ("runIndex", good(whole())),
        ("conditions", good(list(string()))),
        ("containers", good(list(container))),
        ("terminationGracePeriodSeconds", good(one_of(&["0", "30", "9000000000"]))),
    ];
    for key in ["queue", "jobSet", "node", "cluster", "category", "subcategory"] {
        others.push((key, good(string())));
    }
    let [started, later] = times(notation);
    others.push(("startedAt", good(started)));
    for key in ["finishedAt", "terminationConfirmedAt"] {
        others.push((key, good(later.clone())));
    }
    let outcome = one_of(&["\"Failed\"", "\"Succeeded\"", r#""Lease\u0045xpired""#]);
    let required = vec![("jobId", value(name())), ("outcome", value(outcome))];
    spaced(object(required, others, any_key))
}

/// A line as people and programs write them, in any order and with any spaces, escapes (but none in the keys
/// within values) and unknown keys: the fast path has to read it.
pub(super) fn common() -> Text {
    prop_oneof![line(|good| good, plain_key, 0), line(|good| good, plain_key, 1)].boxed()
}

/// A line with values of wrong types, repeated keys, invalid strings and odd numbers.
pub(super) fn odd() -> Text {
    let value = |good: Text| {
        prop_oneof![12 => good, 1 => any_value(), 1 => bad_string(), 1 => one_of(&["01", "-", "1.", "nul", ""])]
            .boxed()
    };
    let twice = vec(
        prop_oneof![one_of(&["jobId", "queue", "runIndex", "containers", "x"]).prop_flat_map(
            |key| { any_value().prop_map(move |value| format!("\"{key}\":{value},")) }
        ),],
        0..2,
    );
    (line(value, any_key, 0), twice)
        .prop_map(|(line, twice)| line.replacen('{', &format!("{{{}", twice.concat()), 1))
        .boxed()
}
