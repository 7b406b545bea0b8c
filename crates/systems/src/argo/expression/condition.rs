//! The conditions of expressions, and their evaluation.

use super::value::{self, EvaluationError, Text, Value, compare, is_equal};
use document::pattern::Pattern;
use regex_automata::meta::Regex;
use std::cmp::Ordering;

/// The facts about an attempt that expressions compare (`buildRetryStrategyLocalScope`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope<'a> {
    /// `lastRetry.exitCode`: -1 if there is none.
    pub exit_code: i32,
    /// `lastRetry.status`: the phase.
    pub status: &'a str,
    /// `lastRetry.duration`, in nanoseconds; Go writes it as a number of seconds.
    pub duration_nanos: i64,
    /// `lastRetry.message`.
    pub message: &'a str,
    /// `retries`: the attempts before this one.
    pub retries: u32,
}

#[derive(Debug, Clone)]
pub(super) enum Condition {
    Constant(bool),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Compare(Operator, Term, Term),
    In(Term, Vec<Term>),
    Text(TextOperator, Term, Term),
    Matches(Term, Box<Pattern>, Box<Regex>),
}

/// An operator of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// An operator on two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextOperator {
    Contains,
    StartsWith,
    EndsWith,
}

/// A variable of the scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::argo) enum Variable {
    /// `lastRetry.exitCode`.
    ExitCode,
    /// `lastRetry.status`.
    Status,
    /// `lastRetry.duration`.
    Duration,
    /// `lastRetry.message`.
    Message,
    /// `retries`.
    Retries,
}

/// A value of a comparison.
#[derive(Debug, Clone)]
pub(super) enum Term {
    Literal(Value<'static>),
    Variable(Variable),
    Integer(Variable),
    Float(Variable),
}

/// Conditions with a constant are simplified as expr-lang's optimizer does (`optimizer/fold.go`), which determines the operands
/// that are evaluated: `asInt(lastRetry.duration) < 1 || true` is never an error.
impl Condition {
    /// Returns the negation.
    pub fn not(self) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(!value),
            other => Self::Not(Box::new(other)),
        }
    }

    /// Joins two conditions that must both be true.
    pub fn and(left: Self, right: Self) -> Self {
        match (left, right) {
            (Self::Constant(true), other) | (other, Self::Constant(true)) => other,
            (Self::Constant(false), _) | (_, Self::Constant(false)) => Self::Constant(false),
            (left, right) => Self::And(Box::new(left), Box::new(right)),
        }
    }

    /// Joins two conditions of which one must be true.
    pub fn or(left: Self, right: Self) -> Self {
        match (left, right) {
            (Self::Constant(false), other) | (other, Self::Constant(false)) => other,
            (Self::Constant(true), _) | (_, Self::Constant(true)) => Self::Constant(true),
            (left, right) => Self::Or(Box::new(left), Box::new(right)),
        }
    }

    pub fn evaluate(&self, scope: &Scope<'_>) -> Result<bool, EvaluationError> {
        Ok(match self {
            Self::Constant(value) => *value,
            Self::Not(inner) => !inner.evaluate(scope)?,
            Self::And(left, right) => left.evaluate(scope)? && right.evaluate(scope)?,
            Self::Or(left, right) => left.evaluate(scope)? || right.evaluate(scope)?,
            Self::Compare(operator, left, right) => {
                let (left, right) = (left.evaluate(scope)?, right.evaluate(scope)?);
                match operator {
                    Operator::Equal => is_equal(&left, &right),
                    Operator::Less => compare(&left, &right, "<")?.is_some_and(Ordering::is_lt),
                    Operator::LessOrEqual => {
                        compare(&left, &right, "<=")?.is_some_and(Ordering::is_le)
                    }
                    Operator::Greater => compare(&left, &right, ">")?.is_some_and(Ordering::is_gt),
                    Operator::GreaterOrEqual => {
                        compare(&left, &right, ">=")?.is_some_and(Ordering::is_ge)
                    }
                }
            }
            Self::In(term, items) => {
                let value = term.evaluate(scope)?;
                let items: Result<Vec<Value<'_>>, _> =
                    items.iter().map(|item| item.evaluate(scope)).collect();
                items?.iter().any(|item| is_equal(item, &value))
            }
            Self::Text(operator, left, right) => {
                let (left, right) = (left.evaluate(scope)?, right.evaluate(scope)?);
                let (left, right) = (left.text()?, right.text()?);
                match operator {
                    TextOperator::Contains => left.contains(right),
                    TextOperator::StartsWith => left.starts_with(right),
                    TextOperator::EndsWith => left.ends_with(right),
                }
            }
            Self::Matches(term, _, regex) => regex.is_match(term.evaluate(scope)?.text()?),
        })
    }

    /// Returns whether it reads a variable.
    pub fn reads(&self, variable: Variable) -> bool {
        let mut is_read = false;
        self.each_term(&mut |term| is_read |= term.variable() == Some(variable));
        is_read
    }

    /// Returns the literals that it compares a variable with, as texts.
    pub fn literals(&self, variable: Variable) -> Vec<String> {
        let mut literals = Vec::new();
        self.each_pair(&mut |left, right| {
            for (term, other) in [(left, right), (right, left)] {
                if let (true, Term::Literal(value)) = (term.variable() == Some(variable), other) {
                    literals.push(value.to_string());
                }
            }
        });
        literals
    }

    /// Passes every pair of compared terms.
    fn each_pair<'c>(&'c self, take: &mut dyn FnMut(&'c Term, &'c Term)) {
        match self {
            Self::Constant(_) | Self::Matches(..) => {}
            Self::Not(inner) => inner.each_pair(take),
            Self::And(left, right) | Self::Or(left, right) => {
                left.each_pair(take);
                right.each_pair(take);
            }
            Self::Compare(_, left, right) | Self::Text(_, left, right) => take(left, right),
            Self::In(term, items) => items.iter().for_each(|item| take(term, item)),
        }
    }

    /// Passes every term.
    fn each_term<'c>(&'c self, take: &mut dyn FnMut(&'c Term)) {
        match self {
            Self::Not(inner) => inner.each_term(take),
            Self::And(left, right) | Self::Or(left, right) => {
                left.each_term(take);
                right.each_term(take);
            }
            Self::In(term, _) | Self::Matches(term, ..) => take(term),
            Self::Constant(_) => {}
            Self::Compare(..) | Self::Text(..) => self.each_pair(&mut |left, right| {
                take(left);
                take(right);
            }),
        }
    }
}

impl Term {
    /// Returns the variable that it reads, if it reads one.
    pub(super) fn variable(&self) -> Option<Variable> {
        match self {
            Self::Literal(_) => None,
            Self::Variable(variable) | Self::Integer(variable) | Self::Float(variable) => {
                Some(*variable)
            }
        }
    }

    fn evaluate<'s>(&'s self, scope: &Scope<'s>) -> Result<Value<'s>, EvaluationError> {
        match self {
            Self::Literal(value) => Ok(value.borrowed()),
            Self::Variable(variable) => Ok(Value::Text(variable.text(scope))),
            Self::Integer(variable) => Value::integer(&variable.text(scope)),
            Self::Float(variable) => Value::float(&variable.text(scope)),
        }
    }
}

impl Variable {
    /// Returns the value: each is a text in Argo's scope.
    fn text<'s>(self, scope: &Scope<'s>) -> Text<'s> {
        match self {
            Self::ExitCode => scope.exit_code.to_string().into(),
            Self::Status => scope.status.into(),
            Self::Duration => value::go_seconds(scope.duration_nanos).into(),
            Self::Message => scope.message.into(),
            Self::Retries => scope.retries.to_string().into(),
        }
    }
}

/// Compiles the pattern of `matches`, which is one of Go's.
pub(super) fn pattern(text: &str) -> Result<(Pattern, Regex), String> {
    let pattern = Pattern::parse(text).map_err(|error| error.to_string())?;
    let regex = pattern.regex().map_err(|error| error.to_string())?;
    Ok((pattern, regex))
}
