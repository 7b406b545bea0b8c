//! The part of Argo's expressions that can be decided from a record.
//!
//! An expression is a condition of the language of expr-lang (v1.17.7) on the attempt that failed. Read are comparisons of
//! `lastRetry.exitCode`, `.status`, `.duration`, `.message` and `retries` with literals, `in` with a list, `matches`,
//! `contains`, `startsWith` and `endsWith`, the conversions `asInt`, `int`, `asFloat` and `float`, and the operators `&&`,
//! `||` and `!` with their words. Precedence is that of expr-lang. A comparison of a text with a number is refused: in Argo it is
//! an error of the evaluation, or always false.

mod atoms;
mod condition;
mod lexer;
mod parser;
mod value;

pub(super) use atoms::Atoms;
use condition::Condition;
pub use condition::Scope;
pub(super) use condition::Variable;
pub use lexer::ExpressionError;
pub use value::EvaluationError;

/// A condition that can be evaluated.
#[derive(Debug, Clone)]
pub struct Expression {
    text: String,
    condition: Condition,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    ///
    /// If it is none that can be evaluated here.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let condition = parser::parse(text)?;
        Ok(Self { text: text.to_owned(), condition })
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Evaluates it.
    ///
    /// # Errors
    ///
    /// If its evaluation in Argo ends with an error.
    pub fn evaluate(&self, scope: &Scope<'_>) -> Result<bool, EvaluationError> {
        self.condition.evaluate(scope)
    }

    /// Returns whether it reads a variable.
    pub(super) fn reads(&self, variable: Variable) -> bool {
        self.condition.reads(variable)
    }

    /// Adds the parts that tell attempts apart.
    pub(super) fn add_atoms(&self, atoms: &mut Atoms) {
        atoms.add(&self.condition);
    }

    /// Returns the literals that it compares a variable with, as texts.
    pub(super) fn literals(&self, variable: Variable) -> Vec<String> {
        self.condition.literals(variable)
    }
}
