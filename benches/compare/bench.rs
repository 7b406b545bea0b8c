//! The time of comparisons: pairs of 100 rules of which 40 have a pattern, with one random edit or in another order, a
//! thousand policies with themselves, and pairs of patterns with large automata. `README.md` has the figures.

#![expect(clippy::print_stdout, reason = "the table is the result")]

#[path = "../support/draw.rs"]
mod draw;
#[path = "../support/patterns.rs"]
mod patterns;
#[path = "../support/policies.rs"]
mod policies;

use armada_retry::engine::compare::{Comparison, Side, compare};
use armada_retry::engine::{Evaluator, V1};
use armada_retry::policy::{
    Action, Backoff, ExitCodes, Form, Operator, PolicyName, RetryPolicy, Rule, SchedulerSettings,
};
use document::pattern::Pattern;
use document::units::GoDuration;
use draw::Draw;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The rules of a policy.
const RULES: usize = 100;
/// The pairs with one edit, and those in another order.
const EDITED: u64 = 300;
const SHUFFLED: u64 = 20;
/// The policies of a directory, and the rules of each.
const DIRECTORY: u64 = 1000;
const DIRECTORY_RULES: usize = 10;

/// Pairs of patterns whose automata are large, or which have many common states.
fn catastrophic() -> Vec<(String, String)> {
    let counted = |text: &str| format!("(a|b)*a(a|b){{{text}}}");
    let words = |first: &str| {
        let each: Vec<String> =
            (0..40).map(|it| format!("{first}{it} .*failed.*after [0-9]+")).collect();
        each.join("|")
    };
    let pairs = [
        (counted("20"), counted("14")),
        (counted("20") + "c", counted("19") + "c"),
        ("(x+x+)+y".to_owned(), "(x+)+z".to_owned()),
        ("a.{900}b".to_owned(), "a.{901}b".to_owned()),
        ("(?i)error.{200}code".to_owned(), "(?i)code.{200}error".to_owned()),
        (r"\pL{500}".to_owned(), r"\p{Greek}{500}".to_owned()),
        (r"(?i)\w{300}\d{300}".to_owned(), r"\W\w{400}".to_owned()),
        (r"[\pL\pN]{1,200}x[\pL\pN]{1,200}".to_owned(), r"\p{Han}{1,300}".to_owned()),
        ("(.*)(.*)(.*)(.*)(.*)[^a]{50}".to_owned(), "([a-y]*z){30}".to_owned()),
        ("(a?){100}a{100}".to_owned(), "(a?){99}b".to_owned()),
        (words("(?i)node"), words("(?i)link")),
    ];
    pairs.into()
}

fn evaluator(policy: RetryPolicy) -> Evaluator {
    Evaluator::new(&V1, vec![Arc::new(policy)], SchedulerSettings::default(), &[])
}

/// Compares two policies, from policies to the result.
fn timed(old: RetryPolicy, new: RetryPolicy) -> (Comparison, Duration) {
    let start = Instant::now();
    let evaluators = [evaluator(old), evaluator(new)];
    let [old, new] =
        [0, 1].map(|it| Side { evaluator: &evaluators[it], route: evaluators[it].route(&[0]) });
    let comparison = compare(&old, &new);
    (comparison, start.elapsed())
}

/// One random edit: another order, a wider rule, a limit, a backoff, a pattern or a condition.
fn edit(policy: &RetryPolicy, draw: &mut Draw) -> RetryPolicy {
    let mut new = policy.clone();
    let place = |draw: &mut Draw| draw.below(u32::try_from(RULES).expect("few")) as usize;
    let at = place(draw);
    match draw.below(6) {
        0 => {
            let rule = new.rules.remove(at);
            new.rules.insert(place(draw).min(RULES - 1), rule);
        }
        1 => match &mut new.rules[at] {
            Rule { categories, .. } if !categories.is_empty() => categories.push("wider".into()),
            Rule { exit_codes: Some(codes), .. } => codes.values.push(77),
            rule => rule.message = Some(Pattern::parse("(?i)e[rR]+o").expect("a pattern")),
        },
        2 => new.rules[at].retry_limit = Some(6 + draw.below(3)),
        3 => {
            new.rules[at].backoff =
                Backoff { initial_delay: Some(GoDuration::from_secs(77)), ..Backoff::default() }
        }
        4 => {
            let text = draw.pick(&patterns::PATTERNS);
            new.rules[at].message = Some(Pattern::parse(text).expect(text));
        }
        _ => new.rules[at].categories = vec!["condition".into()],
    }
    new
}

/// A row of the table: what was compared, the times, and the bars of the median and of the longest.
fn row(name: &str, results: &[(Comparison, Duration)], bars: [u64; 2]) {
    let mut times: Vec<Duration> = results.iter().map(|it| it.1).collect();
    times.sort();
    let (median, longest) = (times[times.len() / 2], times[times.len() - 1]);
    let unknown = results.iter().filter(|it| !it.0.undecided.is_empty()).count();
    let differ = results.iter().filter(|it| !it.0.groups.is_empty()).count();
    let is_met =
        median <= Duration::from_millis(bars[0]) && longest <= Duration::from_millis(bars[1]);
    println!(
        "{name:<34} {:>6} {differ:>6} {unknown:>8} {:>9.1} {:>9.1} {:>6} MB  {}",
        results.len(),
        median.as_secs_f64() * 1e3,
        longest.as_secs_f64() * 1e3,
        peak(),
        if is_met { "ok" } else { "MISS" },
    );
}

/// The largest memory of the process so far, in megabytes; 0 where the system does not report it.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    number.unwrap_or(0) / 1024
}

fn edited() -> Vec<(Comparison, Duration)> {
    let each = (0..EDITED).map(|seed| {
        let old = policies::policy(seed, RULES);
        let new = edit(&old, &mut Draw::new(seed));
        timed(old, new)
    });
    each.collect()
}

/// Policies of 100 rules in another order.
fn shuffled() -> Vec<(Comparison, Duration)> {
    let each = (0..SHUFFLED).map(|seed| {
        let old = policies::policy(seed, RULES);
        let mut new = old.clone();
        Draw::new(seed).shuffle(&mut new.rules);
        timed(old, new)
    });
    each.collect()
}

fn directory() -> (Comparison, Duration) {
    let policies: Vec<RetryPolicy> =
        (0..DIRECTORY).map(|seed| policies::policy(seed, DIRECTORY_RULES)).collect();
    let start = Instant::now();
    for policy in policies {
        let (comparison, _) = timed(policy.clone(), policy);
        assert!(comparison.is_same(), "a policy is the same as itself");
    }
    (Comparison::default(), start.elapsed())
}

/// A rule on one pattern and one on a code, in both orders: the texts of both, and those of one alone.
fn patterned((one, other): &(String, String)) -> (Comparison, Duration) {
    let rule = |text: &str, action| Rule {
        message: Some(Pattern::parse(text).expect(text)),
        ..Rule::new(action)
    };
    let codes = ExitCodes { operator: Operator::In, values: vec![1] };
    let codes = Rule { exit_codes: Some(codes), ..Rule::new(Action::Retry) };
    let rules = vec![rule(one, Action::Fail), rule(other, Action::Retry), codes];
    let old = RetryPolicy {
        name: PolicyName::new("p").expect("a name"),
        form: Form::V1,
        retry_limit: Some(3),
        default_action: None,
        backoff: Backoff::default(),
        anti_affinity: None,
        rules,
    };
    let mut new = old.clone();
    new.rules.reverse();
    timed(old, new)
}

fn main() {
    println!(
        "{:<34} {:>6} {:>6} {:>8} {:>9} {:>9} {:>9}",
        "", "pairs", "differ", "unknown", "median ms", "worst ms", "memory"
    );
    row("100 rules, one edit", &edited(), [100, 1000]);
    row("100 rules, another order", &shuffled(), [1000, 1000]);
    row("1,000 policies with themselves", &[directory()], [2000, 2000]);
    let pairs = catastrophic();
    row("large automata", &pairs.iter().map(patterned).collect::<Vec<_>>(), [1000, 1000]);
}
