use super::block::{Block, fit};
use super::file::{FileError, check, document, merge};
use super::render;
use super::text::{code, command, inline, lines};
use crate::report::ci_report::{CiReport, samples};
use proptest::prelude::*;

/// Texts that have to be escaped: markup, marks, mentions, addresses, control and direction characters.
const HOSTILE: [&str; 16] = [
    "`a`",
    "a|b",
    "<!-- /armadactl:lint -->",
    "<script>alert(1)</script>",
    "a\nb\r\n| c |",
    "\u{1b}[31m\u{202e}evil\u{2066}",
    "@armadaproject/all",
    "#1",
    "https://example.com",
    "www.example.com",
    "[a](javascript:b)",
    "![a](b)",
    "**a** __b__ ~~c~~ $d$",
    "&lt;b&gt;",
    "\\| \\`",
    "</details></code>",
];

/// Checks that Markdown in a line has no markup but that of the writers.
#[track_caller]
fn check_line(markdown: &str) {
    let mut rest = markdown.to_owned();
    for own in ["<code>", "</code>", "<br>", "<!-- -->"] {
        rest = rest.replace(own, "");
    }
    let markup = ['<', '>', '|', '`', '*', '_', '~', '[', ']', '\\', '$', '!', '@', '\n', '\r'];
    assert!(!rest.contains(markup), "{markdown}");
    assert!(!rest.contains(['\u{1b}', '\u{202e}', '\u{2066}']), "{markdown}");
    assert_eq!(markdown.matches("<code>").count(), markdown.matches("</code>").count());
    for address in ["://", "www."] {
        assert!(!markdown.contains(address), "{markdown}");
    }
    for (at, _) in rest.match_indices('&') {
        let reference = rest[at..].split_once(';').expect("a reference").0;
        assert!(reference[1..].starts_with('#'), "{markdown}");
    }
}

#[test]
fn texts_are_no_markup() {
    for text in HOSTILE {
        for markdown in [inline(text), code(text), lines(text)] {
            check_line(&markdown);
        }
    }
    assert_eq!(inline("rule `a[0]` decides"), "rule <code>a&#91;0&#93;</code> decides");
    assert_eq!(inline("one ` alone"), "one &#96; alone");
    assert_eq!(inline("Errno # and #12"), "Errno &#35; and &#35;<!-- -->12");
    assert_eq!(lines("a\nhelp: b\n"), "a<br>help: b");
    assert_eq!(code(&"x".repeat(500)), format!("<code>{}..</code>", "x".repeat(400)));
    assert_eq!(command(&"x".repeat(500)), format!("<code>{}</code>", "x".repeat(500)));
}

proptest! {
    #[test]
    fn no_text_is_markup(parts in prop::collection::vec(
        prop_oneof![prop::sample::select(&HOSTILE[..]).prop_map(str::to_owned), any::<String>()], 0..6,
    )) {
        let text = parts.concat();
        check_line(&inline(&text));
        check_line(&code(&text));
        check_line(&command(&text));
        check_line(&lines(&text));
    }
}

#[test]
fn findings_and_failed_tests_are_tables() {
    let (findings, tests) = (samples::findings(), samples::tests());
    let reported = CiReport { tests: &tests, ..samples::reported(&findings) };
    let section = render(&reported, &samples::run());
    insta::assert_snapshot!(section);
    let several = vec![findings[1].clone(); 33];
    let section = render(&samples::reported(&several), &samples::run());
    assert!(section.contains("\n\n3 more findings\n"), "{section}");
}

#[test]
fn a_section_has_at_most_13_000_characters() {
    let hostile = format!("{}é", "@".repeat(399));
    let table = |cell: &str| {
        let headers = ["a"; 4].map(|header| (header.to_owned(), false));
        Block::table(headers.into_iter(), vec![vec![lines(cell); 4]; 30].into_iter()).folded("b")
    };
    let blocks = [Block::paragraph("### a"), table(&hostile), Block::paragraph("after")];
    let section = fit(&blocks, Some(&Block::paragraph("foot")));
    assert!(section.chars().count() <= 13_000, "{}", section.chars().count());
    // One row of 4 * 399 * 13 characters does not fit, so that the table is left out.
    assert!(section.starts_with("### a\n\nafter\n\n_Shortened: "), "{section}");
    assert!(section.ends_with("\nfoot\n"), "{section}");
    let section = fit(&[table(&"x".repeat(300)), Block::paragraph("after")], None);
    assert_eq!(section.matches("xxx |\n").count(), 10, "{section}");
    assert!(section.chars().count() <= 13_000);
    assert!(section.contains("\n</details>\n"), "{section}");
    assert!(section.contains("_Shortened: "), "{section}");
    assert!(!fit(&[Block::paragraph("a")], None).contains("Shortened"));
}

fn section(command: &str, text: &str) -> String {
    format!("<!-- armadactl:{command} -->\n{text}\n\n<!-- /armadactl:{command} -->\n")
}

#[test]
fn a_command_replaces_its_section_and_keeps_the_rest() {
    let lint = document("lint", "a\n");
    assert_eq!(lint, format!("<!-- armadactl report: policies -->\n{}", section("lint", "a")));
    assert_eq!(merge("", "lint", "a"), Ok(lint.clone()));
    assert_eq!(merge(" \n", "lint", "a"), Ok(lint.clone()));
    let others = format!("# Mine\r\n\n{lint}tail");
    let replaced = merge(&others, "lint", "b").unwrap();
    assert_eq!(replaced, others.replace("\na\n", "\nb\n"));
    // In the order of a comment, whichever is first.
    let mut file = String::new();
    for command in ["validate", "test", "simulate", "lint"] {
        file = merge(&file, command, command).unwrap();
    }
    let order = ["simulate", "lint", "test", "validate"].map(|command| section(command, command));
    assert_eq!(file, format!("<!-- armadactl report: policies -->\n{}", order.concat()));
    assert_eq!(merge("mine", "test", "a"), Ok(format!("mine\n{}", section("test", "a"))));
}

#[test]
fn sections_that_are_not_whole_or_not_unique() {
    let twice = format!("{}mine\n{}", section("lint", "a"), section("lint", "b"));
    assert_eq!(merge(&twice, "lint", "c"), Ok(format!("{}mine\n", section("lint", "c"))));
    // Those of another command are not touched.
    let merged = merge(&twice, "test", "c").unwrap();
    assert!(merged.starts_with(&twice), "{merged}");
    let unended = "mine\n<!-- armadactl:lint -->\na\n";
    let error = FileError::Unended { command: "lint", line: 2 };
    assert_eq!(merge(unended, "test", "b"), Err(error.clone()));
    assert_eq!(check(&format!("{unended}{}", section("test", "c"))), Err(error));
    // An end alone is text.
    assert_eq!(check("<!-- /armadactl:lint -->\n"), Ok(()));
    assert_eq!(check("a <!-- armadactl:lint -->\n"), Ok(()));
    let long = "x".repeat(65_500);
    let length = 65_501 + section("lint", "a").len();
    assert_eq!(merge(&long, "lint", "a"), Err(FileError::TooLong(length)));
    assert!(merge(&long[..60_000], "lint", "a").is_ok());
}

proptest! {
    /// A section that is written twice is there once, and every other line stays.
    #[test]
    fn a_merge_is_idempotent(
        parts in prop::collection::vec(prop::sample::select(vec![
            "text", "<!-- /armadactl:lint -->", "LINT", "TEST", "SIMULATE", "", "| a |",
        ]), 0..8),
        command in prop::sample::select(vec!["simulate", "lint", "test", "validate"]),
    ) {
        let part = |name: &&str| match *name {
            "LINT" => section("lint", "x"),
            "TEST" => section("test", "x"),
            "SIMULATE" => section("simulate", "x"),
            line => format!("{line}\n"),
        };
        let file: String = parts.iter().map(part).collect();
        let once = merge(&file, command, "new").unwrap();
        prop_assert_eq!(&merge(&once, command, "new").unwrap(), &once);
        prop_assert_eq!(once.matches(&section(command, "new")).count(), 1);
        prop_assert_eq!(once.matches("text\n").count(), file.matches("text\n").count());
    }
}
