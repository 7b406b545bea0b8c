//! The matchers of Armada that correspond to the draft's causes.

use crate::backendai::Cause;
use crate::convert::LEASE_EXPIRED;
use armada_retry::policy::{Action, Condition, ExitCodes, Operator, Rule};

/// An exit code that no program returns: a `NotIn` of this value matches every program's exit code.
const NO_CODE: i32 = i32::MAX;

/// The highest exit code of a program.
const LAST_CODE: i32 = 255;

/// The matcher in Armada for the failures of a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CauseMatcher {
    Condition(Condition),
    ExitCode,
    /// The expiry of the lease.
    LeaseExpired,
    /// No matcher.
    Nothing,
}

impl CauseMatcher {
    /// Returns the matcher of a cause.
    pub fn of(cause: Cause) -> Self {
        match cause {
            Cause::OomKilled => Self::Condition(Condition::OomKilled),
            Cause::SchedulerTimeout => Self::Condition(Condition::Unschedulable),
            Cause::KernelNonzeroExit => Self::ExitCode,
            Cause::AgentTransient => Self::LeaseExpired,
            _ => Self::Nothing,
        }
    }

    /// Returns a rule with this matcher; `None` if Armada has none.
    pub fn rule(self, action: Action) -> Option<Rule> {
        let rule = Rule::new(action);
        match self {
            Self::Condition(condition) => Some(Rule { conditions: vec![condition], ..rule }),
            Self::ExitCode => {
                let any = ExitCodes { operator: Operator::NotIn, values: vec![NO_CODE] };
                Some(Rule { exit_codes: Some(any), ..rule })
            }
            Self::LeaseExpired => Some(Rule {
                categories: vec![LEASE_EXPIRED.0.to_owned()],
                subcategories: vec![LEASE_EXPIRED.1.to_owned()],
                ..rule
            }),
            Self::Nothing => None,
        }
    }
}

/// Returns the causes of a rule's only matcher, in the order in which rules distinguish them; `None` if the
/// rule matches on a property that the draft does not have.
pub(super) fn causes(rule: &Rule) -> Option<Vec<Cause>> {
    let matchers = rule.matchers();
    let others = matchers.iter().filter(|matcher| !matcher.is_of_category()).count();
    let by_category = others < matchers.len();
    // A category and its subcategory count as one matcher.
    if others + usize::from(by_category) != 1 || rule.container.is_some() {
        return None;
    }
    if let Some(codes) = &rule.exit_codes {
        let any =
            // No program ends with a higher code, so that a list of such codes excludes none.
            codes.operator == Operator::NotIn && codes.values.iter().all(|code| *code > LAST_CODE);
        // A container that runs out of memory also has an exit code.
        return any.then(|| vec![Cause::KernelNonzeroExit, Cause::OomKilled]);
    }
    if by_category {
        let expired =
            rule.categories == [LEASE_EXPIRED.0] && rule.subcategories == [LEASE_EXPIRED.1];
        return expired.then(|| vec![Cause::AgentTransient]);
    }
    let of = |condition: &Condition| match condition {
        Condition::OomKilled => Some(Cause::OomKilled),
        Condition::Unschedulable => Some(Cause::SchedulerTimeout),
        _ => None,
    };
    rule.conditions.iter().map(of).collect::<Option<Vec<_>>>().filter(|causes| !causes.is_empty())
}
