//! Reads the tokens of an expression as a condition, with the precedence of expr-lang (`parser/operator`): `||` binds
//! least, then `&&`, then comparisons, and `!` binds most.

use super::condition::{Condition, Operator, Term, TextOperator, Variable, pattern};
use super::lexer::{ExpressionError, Token, TokenKind, tokens};
use super::value::Value;

/// The depth of parentheses and negations up to which expressions are read.
const MAX_DEPTH: usize = 64;
/// The number of `&&` and `||` up to which expressions are read; evaluation recurses once for each.
const MAX_CONNECTIVES: usize = 200;

/// The operators of comparisons; those from `in` on may follow `not`.
const COMPARISONS: [&str; 11] =
    ["==", "!=", "<", "<=", ">", ">=", "in", "matches", "contains", "startsWith", "endsWith"];

pub(super) fn parse(text: &str) -> Result<Condition, ExpressionError> {
    let tokens = tokens(text)?;
    refuse_long_chains(&tokens)?;
    let mut parser = Parser { tokens: &tokens, at: 0, end: text.len(), depth: 0 };
    let operand = parser.or()?;
    if let Some(token) = parser.tokens.get(parser.at) {
        let message = format!("`{}` cannot be evaluated here", text[token.offset..].trim());
        return Err(ExpressionError { message, offset: token.offset });
    }
    Parser::condition(operand, 0)
}

/// Refuses an expression with more operators between conditions than can be evaluated: a chain of them is a tree of this depth.
fn refuse_long_chains(tokens: &[Token]) -> Result<(), ExpressionError> {
    let is_connective = |token: &&Token| match &token.kind {
        TokenKind::Name(name) => ["and", "or"].contains(&name.as_str()),
        TokenKind::Symbol(symbol) => ["&&", "||"].contains(symbol),
        _ => false,
    };
    match tokens.iter().filter(is_connective).nth(MAX_CONNECTIVES) {
        Some(token) => {
            let message = format!("the expression has more than {MAX_CONNECTIVES} `&&` and `||`");
            fail(message, token.offset)
        }
        None => Ok(()),
    }
}

/// Returns the error about the part of the text at an offset.
fn fail<T>(message: impl Into<String>, offset: usize) -> Result<T, ExpressionError> {
    Err(ExpressionError { message: message.into(), offset })
}

/// An operand: a condition or a value.
enum Operand {
    Condition(Condition),
    Term(Term),
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    end: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn offset(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |token| token.offset)
    }

    /// Takes the next token if it is one of these symbols or words.
    fn take(&mut self, words: &[&str]) -> Option<&'t str> {
        let word = match &self.tokens.get(self.at)?.kind {
            TokenKind::Name(name) => name.as_str(),
            TokenKind::Symbol(symbol) => symbol,
            _ => return None,
        };
        words.contains(&word).then(|| {
            self.at += 1;
            word
        })
    }

    fn expect(&mut self, symbol: &str) -> Result<(), ExpressionError> {
        match self.take(&[symbol]) {
            Some(_) => Ok(()),
            None => fail(format!("`{symbol}` is missing"), self.offset()),
        }
    }

    fn condition(operand: Operand, offset: usize) -> Result<Condition, ExpressionError> {
        match operand {
            Operand::Condition(condition) => Ok(condition),
            Operand::Term(_) => fail("a condition is needed, and this is a value", offset),
        }
    }

    fn term(operand: Operand, offset: usize) -> Result<Term, ExpressionError> {
        match operand {
            Operand::Term(term) => Ok(term),
            Operand::Condition(_) => {
                fail("the comparison of conditions cannot be evaluated here", offset)
            }
        }
    }

    fn or(&mut self) -> Result<Operand, ExpressionError> {
        self.binary(&["||", "or"], Self::and, Condition::or)
    }

    fn and(&mut self) -> Result<Operand, ExpressionError> {
        self.binary(&["&&", "and"], Self::comparison, Condition::and)
    }

    fn binary(
        &mut self,
        words: &[&str],
        operand: fn(&mut Self) -> Result<Operand, ExpressionError>,
        join: fn(Condition, Condition) -> Condition,
    ) -> Result<Operand, ExpressionError> {
        let offset = self.offset();
        let mut left = operand(self)?;
        while self.take(words).is_some() {
            let first = Self::condition(left, offset)?;
            let offset = self.offset();
            let second = operand(self)?;
            let second = Self::condition(second, offset)?;
            left = Operand::Condition(join(first, second));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Operand, ExpressionError> {
        let offset = self.offset();
        let left = self.unary()?;
        let is_negated = self.take(&["not"]).is_some();
        let Some(word) = self.take(if is_negated { &COMPARISONS[6..] } else { &COMPARISONS })
        else {
            if is_negated {
                return fail("`not` needs `in` or another operator of texts", self.offset());
            }
            return Ok(left);
        };
        let left = Self::term(left, offset)?;
        let right_offset = self.offset();
        let condition = match word {
            "in" => {
                let items = self.list()?;
                for item in &items {
                    Self::check_types(&left, item, right_offset)?;
                }
                Condition::In(left, items)
            }
            "matches" => self.matches(left, offset)?,
            _ => {
                let right = self.unary()?;
                let right = Self::term(right, right_offset)?;
                Self::compare(word, (left, offset), (right, right_offset))?
            }
        };
        let is_inequality = word == "!=";
        let next = self.offset();
        if self.take(&COMPARISONS).is_some() {
            return fail("a chain of comparisons cannot be evaluated here", next);
        }
        Ok(Operand::Condition(if is_negated || is_inequality {
            condition.not()
        } else {
            condition
        }))
    }

    /// Makes a comparison of two values, or of two texts.
    fn compare(
        word: &str,
        (left, offset): (Term, usize),
        (right, right_offset): (Term, usize),
    ) -> Result<Condition, ExpressionError> {
        let text = match word {
            "contains" => Some(TextOperator::Contains),
            "startsWith" => Some(TextOperator::StartsWith),
            "endsWith" => Some(TextOperator::EndsWith),
            _ => None,
        };
        if let Some(operator) = text {
            Self::check_text(&left, offset)?;
            Self::check_text(&right, right_offset)?;
            return Ok(Condition::Text(operator, left, right));
        }
        // Argo refuses two literals of different types as it compiles the expression.
        if let (Term::Literal(_), Term::Literal(_)) = (&left, &right) {
            return fail("a comparison without a variable cannot be evaluated here", offset);
        }
        let operator = match word {
            "<" => Operator::Less,
            "<=" => Operator::LessOrEqual,
            ">" => Operator::Greater,
            ">=" => Operator::GreaterOrEqual,
            _ => Operator::Equal,
        };
        Self::check_types(&left, &right, right_offset)?;
        Ok(Condition::Compare(operator, left, right))
    }

    /// Refuses a number where a text is needed: Argo ends the node with an error.
    fn check_text(term: &Term, offset: usize) -> Result<(), ExpressionError> {
        match term {
            Term::Variable(_) | Term::Literal(Value::Text(_)) => Ok(()),
            _ => fail("a text is needed, and this is a number", offset),
        }
    }

    /// Refuses a comparison of a number with a text.
    fn check_types(left: &Term, right: &Term, offset: usize) -> Result<(), ExpressionError> {
        let is_text =
            |term: &Term| matches!(term, Term::Variable(_) | Term::Literal(Value::Text(_)));
        if is_text(left) == is_text(right) {
            return Ok(());
        }
        let message = "a text is compared with a number: the variables are texts, so convert them, as in \
                       `asInt(lastRetry.exitCode)`";
        fail(message, offset)
    }

    fn list(&mut self) -> Result<Vec<Term>, ExpressionError> {
        self.expect("[")?;
        let mut items = Vec::new();
        while self.take(&["]"]).is_none() {
            if !items.is_empty() {
                self.expect(",")?;
            }
            let offset = self.offset();
            match self.unary()? {
                Operand::Term(item @ Term::Literal(_)) => items.push(item),
                _ => {
                    return fail("a list of other than literals cannot be evaluated here", offset);
                }
            }
        }
        Ok(items)
    }

    fn matches(&mut self, left: Term, offset: usize) -> Result<Condition, ExpressionError> {
        Self::check_text(&left, offset)?;
        let offset = self.offset();
        let Operand::Term(Term::Literal(Value::Text(text))) = self.unary()? else {
            return fail("a pattern that is not a literal cannot be evaluated here", offset);
        };
        match pattern(&text) {
            Ok((pattern, regex)) => {
                Ok(Condition::Matches(left, Box::new(pattern), Box::new(regex)))
            }
            Err(error) => fail(format!("`{text}` is no pattern: {error}"), offset),
        }
    }

    fn unary(&mut self) -> Result<Operand, ExpressionError> {
        let offset = self.offset();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return fail("the expression is nested too deeply", offset);
        }
        let operand = if self.take(&["!", "not"]).is_some() {
            let inner = self.unary()?;
            Operand::Condition(Self::condition(inner, offset)?.not())
        } else {
            self.primary()?
        };
        self.depth -= 1;
        Ok(operand)
    }

    fn primary(&mut self) -> Result<Operand, ExpressionError> {
        let offset = self.offset();
        let Some(token) = self.tokens.get(self.at) else {
            return fail("the expression ends too early", offset);
        };
        self.at += 1;
        let literal = |value| Ok(Operand::Term(Term::Literal(value)));
        match &token.kind {
            TokenKind::Text(text) => literal(Value::Text(text.clone().into())),
            TokenKind::Integer(number) => literal(Value::Integer(*number)),
            TokenKind::Float(number) => literal(Value::Float(*number)),
            TokenKind::Name(name) => self.name(name, offset),
            TokenKind::Symbol("(") => {
                let inner = self.or()?;
                self.expect(")")?;
                Ok(inner)
            }
            TokenKind::Symbol("-") => match self.primary()? {
                Operand::Term(Term::Literal(Value::Integer(number))) => {
                    literal(Value::Integer(-number))
                }
                Operand::Term(Term::Literal(Value::Float(number))) => {
                    literal(Value::Float(-number))
                }
                _ => fail("`-` before other than a number cannot be evaluated here", offset),
            },
            TokenKind::Symbol(symbol) => {
                fail(format!("`{symbol}` cannot be evaluated here"), offset)
            }
        }
    }

    fn name(&mut self, name: &str, offset: usize) -> Result<Operand, ExpressionError> {
        match name {
            "true" => return Ok(Operand::Condition(Condition::Constant(true))),
            "false" => return Ok(Operand::Condition(Condition::Constant(false))),
            "asInt" | "int" | "asFloat" | "float" => {}
            _ => {
                return match variable(name) {
                    Some(variable) => Ok(Operand::Term(Term::Variable(variable))),
                    None => fail(format!("`{name}` cannot be evaluated here"), offset),
                };
            }
        }
        self.expect("(")?;
        let inner_offset = self.offset();
        let inner = self.or()?;
        self.expect(")")?;
        // A conversion of the phase or of a message is an error whenever it is evaluated.
        match inner {
            Operand::Term(Term::Variable(
                variable @ (Variable::ExitCode | Variable::Duration | Variable::Retries),
            )) => Ok(Operand::Term(if name.to_ascii_lowercase().ends_with("int") {
                Term::Integer(variable)
            } else {
                Term::Float(variable)
            })),
            _ => fail(
                format!(
                    "`{name}` of other than exitCode, duration and retries cannot be evaluated here"
                ),
                inner_offset,
            ),
        }
    }
}

fn variable(name: &str) -> Option<Variable> {
    Some(match name {
        "lastRetry.exitCode" => Variable::ExitCode,
        "lastRetry.status" => Variable::Status,
        "lastRetry.duration" => Variable::Duration,
        "lastRetry.message" => Variable::Message,
        "retries" => Variable::Retries,
        _ => return None,
    })
}
