//! Generated policies. Of every five rules two have a pattern; the others look at exit codes,
//! conditions and categories, and about one in four combines two matchers. Rules with a
//! pattern or two matchers stand before those that look at one thing only, since the first match
//! wins and they would not be reached behind them.

use super::draw::Draw;
use super::patterns::PATTERNS;
use armada_retry::policy::{
    Action, Backoff, Condition, ExitCodes, Form, Operator, PolicyName, RetryPolicy, Rule,
};
use document::pattern::Pattern;
use document::units::GoDuration;

/// Exit codes that rules list; the first few are those that runs end with.
const CODES: [i32; 24] = [
    1, 2, 3, 42, 64, 74, 75, 101, 134, 137, 139, 255, 4, 5, 17, 66, 70, 78, 99, 111, 120, 130, 141,
    200,
];
/// Categories that rules list; the first few are those that runs carry.
const CATEGORIES: [&str; 20] = [
    "oom",
    "node",
    "deadline",
    "gpu",
    "network",
    "infrastructure",
    "application",
    "storage",
    "image",
    "licence",
    "quota",
    "driver",
    "scheduler",
    "user-error",
    "dns",
    "certificate",
    "checkpoint",
    "data",
    "mpi",
    "thermal",
];

/// A policy of so many rules.
pub fn policy(seed: u64, rules: usize) -> RetryPolicy {
    let mut draw = Draw::new(seed);
    let mut patterns = PATTERNS.to_vec();
    draw.shuffle(&mut patterns);
    let mut patterned: Vec<bool> = (0..rules).map(|number| number % 5 < 2).collect();
    draw.shuffle(&mut patterned);
    let mut rules: Vec<Rule> = patterned
        .into_iter()
        .map(|patterned| rule(&mut draw, patterned.then(|| patterns.pop().expect("enough"))))
        .collect();
    rules.sort_by_key(is_general);
    RetryPolicy {
        name: PolicyName::new(&format!("bench-{seed}")).expect("a name"),
        form: Form::V1,
        retry_limit: draw.chance(50).then_some(4),
        default_action: Some(if draw.chance(25) { Action::Retry } else { Action::Fail }),
        backoff: backoff(&mut draw),
        anti_affinity: None,
        rules,
    }
}

fn backoff(draw: &mut Draw) -> Backoff {
    Backoff {
        initial_delay: Some(GoDuration::from_secs(i64::from(5 * (1 + draw.below(6))))),
        max_delay: Some(GoDuration::from_secs(600)),
        multiplier: Some(2.0),
    }
}

fn rule(draw: &mut Draw, pattern: Option<&str>) -> Rule {
    let mut rule = Rule::new(if draw.chance(75) { Action::Retry } else { Action::Fail });
    rule.retry_limit = draw.chance(60).then(|| 1 + draw.below(5));
    let further = draw.chance(25);
    if let Some(text) = pattern {
        rule.message = Some(Pattern::parse(text).expect(text));
        if further {
            matcher(draw, &mut rule);
        }
    } else {
        matcher(draw, &mut rule);
        if further {
            matcher(draw, &mut rule);
        }
    }
    // A condition of the pod never matches a rule that names a container.
    if rule.conditions.is_empty() && draw.chance(10) {
        rule.container = Some("main".to_owned());
    }
    rule
}

/// Whether a rule has one matcher, and that no pattern.
fn is_general(rule: &Rule) -> bool {
    let others = [
        rule.message.is_some(),
        rule.exit_codes.is_some(),
        !rule.conditions.is_empty(),
        !rule.categories.is_empty(),
    ];
    rule.message.is_none() && others.iter().filter(|set| **set).count() == 1
}

/// Adds a matcher: half are exit codes, most of the rest categories.
fn matcher(draw: &mut Draw, rule: &mut Rule) {
    match draw.below(10) {
        0..5 => {
            let operator = if draw.chance(5) { Operator::NotIn } else { Operator::In };
            rule.exit_codes = Some(ExitCodes { operator, values: some(draw, &CODES, 3) });
        }
        5..9 => {
            let names = some(draw, &CATEGORIES, 2);
            rule.categories = names.into_iter().map(str::to_owned).collect();
        }
        _ => rule.conditions = vec![draw.pick(&Condition::ALL)],
    }
}

/// Some of a list, none twice.
fn some<T: Clone + PartialEq>(draw: &mut Draw, from: &[T], most: u32) -> Vec<T> {
    let mut chosen = Vec::new();
    for _ in 0..=draw.below(most) {
        let one = draw.pick(from);
        if !chosen.contains(&one) {
            chosen.push(one);
        }
    }
    chosen
}
