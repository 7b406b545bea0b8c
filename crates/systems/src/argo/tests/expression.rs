//! Expressions: precedence, types, and what is refused. `tools/argo` compares random ones with expr-lang.

use crate::argo::{EvaluationError, Expression, Scope};

const SCOPE: Scope<'_> = Scope {
    exit_code: 137,
    status: "Failed",
    duration_nanos: 90_000_000_000,
    message: "main: OOMKilled (exit code 137)",
    retries: 2,
};

fn evaluate(text: &str, scope: &Scope<'_>) -> Result<bool, EvaluationError> {
    let expression = Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    expression.evaluate(scope)
}

#[test]
fn conditions_are_evaluated_as_argo_does() {
    for (text, expected) in [
        ("asInt(lastRetry.exitCode) > 1", true),
        ("asInt(lastRetry.exitCode) >= 138", false),
        ("lastRetry.exitCode == \"137\"", true),
        ("lastRetry.exitCode in ['1', `137`]", true),
        ("asInt(lastRetry.exitCode) not in [1, 137]", false),
        ("lastRetry.status != \"Error\"", true),
        ("asInt(lastRetry.duration) < 60", false),
        ("lastRetry.duration == '90'", true),
        ("lastRetry.message matches '(?i)oomkilled'", true),
        ("lastRetry.message not contains 'OOM'", false),
        ("lastRetry.message startsWith 'main' and lastRetry.message endsWith ')'", true),
        // A text is compared by its letters.
        ("lastRetry.exitCode < '2'", true),
        ("asInt(retries) < 3 && retries == '2'", true),
        // `&&` binds more than `||`.
        ("true || false && false", true),
        ("(true || false) && false", false),
        ("!(lastRetry.status == 'Failed') or true", true),
        ("asFloat(lastRetry.duration) > 89.5", true),
        ("-1 < asInt(lastRetry.exitCode)", true),
    ] {
        assert_eq!(evaluate(text, &SCOPE), Ok(expected), "{text}");
    }
}

#[test]
fn a_duration_that_is_no_whole_number_is_an_error_of_asint() {
    let text = "asInt(lastRetry.duration) < 60";
    for (nanos, expected) in [
        (59_000_000_000, Some(true)),
        (1_500_000_000, None),
        (999_999_000_000_000, Some(false)),
        // Go writes a million as 1e+06.
        (1_000_000_000_000_000, None),
    ] {
        let scope = Scope { duration_nanos: nanos, ..SCOPE };
        assert_eq!(evaluate(text, &scope).ok(), expected, "{nanos}");
    }
    // An operand that is not needed is not evaluated.
    let scope = Scope { duration_nanos: 1_500_000_000, ..SCOPE };
    assert_eq!(evaluate(&format!("true || {text}"), &scope), Ok(true));
    assert!(evaluate(&format!("true && {text}"), &scope).is_err());
    // Neither is one beside a constant, which expr-lang leaves out as it compiles.
    assert_eq!(evaluate(&format!("{text} || !false"), &scope), Ok(true));
    assert_eq!(evaluate(&format!("{text} && (true && false)"), &scope), Ok(false));
}

#[test]
fn all_else_is_refused_with_its_place() {
    for (text, offset) in [
        ("", 0),
        ("lastRetry.exitCode", 0),
        ("lastRetry.exitCode > 1", 21),
        ("lastRetry.exitCode in [1]", 22),
        ("sprig.int(lastRetry.exitCode) > 1", 0),
        ("steps.a.exitCode == '1'", 0),
        ("asInt(lastRetry.message) > 1", 6),
        ("true && (false", 14),
        ("true false", 5),
        ("1 == 1", 0),
        ("!lastRetry.status == 'Failed'", 0),
        ("lastRetry.status == 'a' == true", 24),
        ("asInt(lastRetry.exitCode) + 1 > 2", 26),
        ("lastRetry.message matches '('", 26),
        ("lastRetry.message matches lastRetry.status", 26),
        ("lastRetry.status == 'open", 20),
        ("lastRetry.status == #a", 20),
        ("asInt(lastRetry.exitCode) in 1..3", 29),
        ("true ? true : false", 5),
    ] {
        let error = Expression::parse(text).expect_err(text);
        assert_eq!(error.offset, offset, "{text}: {error:?}");
    }
    let deep = format!("{}true{}", "(".repeat(500), ")".repeat(500));
    assert!(Expression::parse(&deep).is_err());
}
