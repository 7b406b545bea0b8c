//! The parts of an expression that tell attempts apart: constants, and patterns of the message.

use super::condition::{Condition, Operator, Term, TextOperator, Variable};
use super::value::Value;
use document::pattern::Pattern;

/// The parts of expressions that tell attempts apart, beside the phase.
#[derive(Debug, Clone, Default)]
pub(in crate::argo) struct Atoms {
    /// The constants that the exit code is compared with.
    pub exit_codes: Vec<i64>,
    /// The constants that the number of retries is compared with.
    pub retries: Vec<i64>,
    /// The patterns that the message is compared with.
    pub messages: Vec<Pattern>,
    /// A comparison that these do not represent.
    pub unknown: Option<&'static str>,
}

impl Atoms {
    /// Adds those of a condition.
    pub(super) fn add(&mut self, condition: &Condition) {
        match condition {
            Condition::Constant(_) => {}
            Condition::Not(inner) => self.add(inner),
            Condition::And(left, right) | Condition::Or(left, right) => {
                self.add(left);
                self.add(right);
            }
            Condition::Compare(operator, left, right) => match (left, right) {
                (term, Term::Literal(value)) | (Term::Literal(value), term) => {
                    self.compare(term, value, *operator);
                }
                _ => self.unknown = Some("a comparison of two variables"),
            },
            Condition::In(term, items) => {
                for item in items {
                    match item {
                        Term::Literal(value) => self.compare(term, value, Operator::Equal),
                        _ => self.unknown = Some("a comparison of two variables"),
                    }
                }
            }
            Condition::Text(operator, left, right) => self.text(*operator, left, right),
            Condition::Matches(term, pattern, _) => match term {
                Term::Variable(Variable::Message) => self.messages.push((**pattern).clone()),
                Term::Variable(Variable::Status) | Term::Literal(_) => {}
                _ => self.unknown = Some("a pattern of a number"),
            },
        }
    }

    fn compare(&mut self, term: &Term, value: &Value<'_>, operator: Operator) {
        let Some(variable) = term.variable() else { return };
        let constants = match variable {
            Variable::Status => return,
            Variable::Duration => {
                self.unknown = Some("`lastRetry.duration`");
                return;
            }
            Variable::Message => {
                return match value {
                    Value::Text(text) if operator == Operator::Equal => {
                        self.literal(r"\A", text, r"\z");
                    }
                    _ => self.unknown = Some("the order of messages"),
                };
            }
            Variable::ExitCode => &mut self.exit_codes,
            Variable::Retries => &mut self.retries,
        };
        match value {
            Value::Integer(number) => constants.push(*number),
            // A float lies between two integers, so both are on different sides of it.
            #[expect(clippy::cast_possible_truncation, reason = "saturates beyond all values")]
            Value::Float(number) => constants.extend([number.floor() as i64, number.ceil() as i64]),
            // A number equals its own text alone.
            Value::Text(text) => {
                constants.extend(text.parse::<i64>());
                if operator != Operator::Equal {
                    self.unknown = Some("the order of numbers as texts");
                }
            }
        }
    }

    fn text(&mut self, operator: TextOperator, left: &Term, right: &Term) {
        match (left.variable(), right) {
            (Some(Variable::Message), Term::Literal(Value::Text(text))) => match operator {
                TextOperator::Contains => self.literal("", text, ""),
                TextOperator::StartsWith => self.literal(r"\A", text, ""),
                TextOperator::EndsWith => self.literal("", text, r"\z"),
            },
            (Some(Variable::Status), Term::Literal(_))
            | (None, Term::Variable(Variable::Status) | Term::Literal(_)) => {}
            _ => self.unknown = Some("a variable as a part of a text, or a part of a number"),
        }
    }

    /// Adds the pattern of a literal between anchors.
    fn literal(&mut self, start: &str, text: &str, end: &str) {
        match Pattern::parse(&format!("{start}{}{end}", regex_syntax::escape(text))) {
            Ok(pattern) => self.messages.push(pattern),
            Err(_) => self.unknown = Some("a text that is too long for a pattern"),
        }
    }
}
