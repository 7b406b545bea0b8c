//! The whole answer on terminals of several widths.
//!
//! Holds answer.md 5.

use super::sandbox::Sandbox;
use super::terminal::screen;
use unicode_width::UnicodeWidthStr;

/// The widths of the screens.
const WIDTHS: [u16; 3] = [60, 80, 140];

/// A name, and the command line.
const SCREENS: [(&str, &str); 5] = [
    ("record", "simulate --history fleet.jsonl"),
    ("job", "simulate -f first/policy.yaml --history first/history.jsonl"),
    ("fleet", "simulate -f policies --queue-policies infra,ml-training --history fleet.jsonl"),
    (
        "comparison",
        "simulate -f policies/infra.yaml --queue-policies infra --history fleet.jsonl --variant lax=lax.yaml",
    ),
    (
        "sweep",
        "simulate -f policies --queue-policies infra,ml-training --history fleet.jsonl --sweep globalMaxRetries=0..4",
    ),
];

#[test]
fn a_screen_has_the_whole_answer() {
    let sandbox = Sandbox::with_examples();
    sandbox.examples(&["fleet.jsonl", "first/policy.yaml", "first/history.jsonl"]);
    let lax = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: infra}\nspec:\n  \
               retryLimit: 5\n  defaultAction: Retry\n";
    sandbox.file("lax.yaml", lax);
    for (name, line) in SCREENS {
        let mut screens = format!("$ armadactl {line}\n");
        for width in WIDTHS {
            let text = screen(&sandbox, width, line);
            if width == 80 {
                assert!(text.lines().count() <= 20, "{name}\n{text}");
            }
            let too_long = text.lines().find(|line| line.width() > usize::from(width));
            assert_eq!(too_long, None, "{name} at {width}\n{text}");
            screens += &format!("---- {width} columns\n{text}");
        }
        insta::assert_snapshot!(format!("answer_{name}"), screens);
    }
}

/// A table that is named and empty is told, and the tables of a comparison name the set of policies that they are about.
#[test]
fn a_named_table_is_empty_or_of_one_set_of_policies() {
    let sandbox = Sandbox::with_examples();
    sandbox.examples(&["fleet.jsonl"]);
    let line = "simulate -f policies --queue-policies infra,ml-training --history fleet.jsonl";
    let empty = "\n--show changes: there is nothing to show.\n";
    let run = sandbox.run(&format!("{line} --show changes")).exits(0);
    assert!(run.stdout.contains(empty), "{run}");
    let run = sandbox.run(&format!("{line} --show all")).exits(0);
    assert!(!run.stdout.contains("nothing to show"), "{run}");
    let run =
        sandbox.run(&format!("{line} --variant no-retries --show decisions,changes")).exits(0);
    assert!(run.stdout.contains("\nUnder `given`:\n\nDECISION"), "{run}");
    assert!(!run.stdout.contains(empty), "{run}");
}
