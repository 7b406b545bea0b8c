use super::messages::Messages;
use super::names::{NameKind, Names};
use crate::simulate::write_shape;
use document::pattern::{Pattern, SearchMemory, Searcher};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn names() -> Names {
    Names::new((1, 2), &[])
}

fn shape(text: &str) -> String {
    let mut shape = String::new();
    write_shape(text, &mut shape);
    shape
}

const PATTERNS: [&str; 9] = [
    "connection (refused|reset)",
    "^fatal",
    r"step \d+ of \d+$",
    "(?i)oom",
    r"\d",
    "^[a-z]+$",
    "message",
    r"(?s)^fatal.*reset$",
    r"\s",
];

/// The patterns that match a text.
fn matched(patterns: &[Pattern], text: &str) -> Vec<usize> {
    let matches = |(number, pattern): &(usize, &Pattern)| {
        Searcher::new(*number, (*pattern).clone()).is_match(text, &mut SearchMemory::default())
    };
    patterns.iter().enumerate().filter(matches).map(|(number, _)| number).collect()
}

proptest! {
    /// Texts are matched by the same patterns, unless the replacement is said not to be; different messages get different
    /// texts, and messages have equal shapes if and only if their texts have.
    #[test]
    fn a_text_is_matched_by_the_same_patterns(
        messages in prop::collection::vec(
            "(fatal|Fatal|secretword|)( |\n|: )(connection refused|reset|OOM|step 3 of 7|word|)[0-9]{0,2}", 1..20),
        // Half of the cases have no patterns.
        chosen in prop_oneof![Just(Vec::new()), prop::collection::vec(0..PATTERNS.len(), 1..5)],
    ) {
        let patterns: Vec<Pattern> =
            chosen.iter().map(|number| Pattern::parse(PATTERNS[*number]).expect("a pattern")).collect();
        let (mut texts, names) = (Messages::new(patterns.iter()), names());
        let (mut of_text, mut of_message) = (BTreeMap::new(), BTreeMap::new());
        for message in messages.iter().filter(|message| !message.is_empty()) {
            let replaced = texts.replace(&names, message);
            prop_assert!(!replaced.text.contains("secretword"), "{}", replaced.text);
            let is_same = matched(&patterns, &replaced.text) == matched(&patterns, message);
            prop_assert!(is_same || !replaced.is_equal || !replaced.is_new, "{message:?}: {:?}", replaced.text);
            prop_assert_eq!(&texts.replace(&names, message).text, &replaced.text);
            if patterns.is_empty() {
                let (old, new) = (shape(message), shape(&replaced.text));
                prop_assert_eq!(of_text.entry(new.clone()).or_insert_with(|| old.clone()), &old);
                prop_assert_eq!(of_message.entry(old).or_insert_with(|| new.clone()), &new);
            }
        }
    }
}

#[test]
fn messages_of_patterns_at_the_begin_and_the_end_are_replaced() {
    let patterns = ["^fatal", "reset$", r"\d"].map(|text| Pattern::parse(text).expect("a pattern"));
    let mut texts = Messages::new(patterns.iter());
    let mut text = |message| {
        let replaced = texts.replace(&names(), message);
        (replaced.text, replaced.is_equal)
    };
    assert_eq!(text("fatal by user: reset"), ("fatal message-a\nreset".to_owned(), true));
    assert_eq!(text("job 7 reset"), ("message-b 1\n0\nreset".to_owned(), true));
    assert_eq!(text("job 8 reset"), ("message-b 2\n0\nreset".to_owned(), true));
    assert_eq!(text("reset by user"), ("message-c".to_owned(), true));
    let never = [
        Pattern::parse("^secret (a|b)$").expect("a pattern"),
        Pattern::parse("^secret b").expect("a pattern"),
    ];
    let mut texts = Messages::new(never.iter());
    assert!(!texts.replace(&names(), "secret b").is_equal, "no text is made that both match");
}

#[test]
fn a_name_that_stays_is_given_to_no_other() {
    let mut names = names();
    names.keep(NameKind::Container, "container-1");
    let new = |name: Option<(String, bool)>| name.expect("a name").0;
    assert_eq!(names.replace(NameKind::Container, "container-1"), None);
    assert_eq!(new(names.replace(NameKind::Container, "secret")), "container-2");
    assert_eq!(new(names.replace(NameKind::Container, "secret")), "container-2");
    assert_eq!(new(names.replace(NameKind::Node, "secret")), "node-1");
    assert_eq!(names.replace(NameKind::Node, ""), None, "an absent name stays absent");
}
