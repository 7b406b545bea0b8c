use super::{cell, header, quoted};
use crate::report::simulation::Section;
use serde_json::json;

#[test]
fn texts_are_quoted_and_no_formula() {
    for (text, wanted) in [
        ("infra", "infra"),
        ("", ""),
        ("a b", "a b"),
        (" a", "\" a\""),
        ("a,b", "\"a,b\""),
        ("say \"a\"", "\"say \"\"a\"\"\""),
        ("=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\""),
        ("+1", "\"'+1\""),
        ("-1", "\"'-1\""),
        ("@a", "\"'@a\""),
        ("a\nb\u{1b}", "a\\nb\\u{1b}"),
    ] {
        assert_eq!(quoted(text), wanted);
    }
    let numbers = [json!(-1), json!(1_234_567), json!(0.1), json!(null)].map(|value| cell(&value));
    assert_eq!(numbers, ["-1", "1234567", "0.1", ""]);
}

#[test]
fn a_cost_has_one_name() {
    let headers = ["lostHours.gpuHours", "lostWorkHours", "failedRetryHours"].map(header);
    assert_eq!(headers, ["failedRetryHours.gpuHours", "goodWorkLostHours", "failedRetryHours"]);
}

#[test]
fn the_columns_of_a_table_differ() {
    let all = Section::ALL.into_iter().flat_map(|it| [(it, true), (it, false)]);
    for ((name, section), has_policies) in all {
        let columns = super::replay::columns(section, has_policies);
        let mut columns: Vec<String> = columns.iter().map(|path| header(path)).collect();
        let count = columns.len();
        columns.sort_unstable();
        columns.dedup();
        assert_eq!(columns.len(), count, "{name}");
    }
}
