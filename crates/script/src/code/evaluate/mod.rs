//! Expressions, by recursive descent with Python's precedence.
//!
//! While a branch is not taken (`skipping`) it is read but not worked out, so that
//! `a or b` needs no b.

mod atom;

use super::arithmetic::integers;
use super::lexer::{Lexeme, Symbol};
use super::value::Value;
use super::{Lookup, Variables};
use crate::refusal::{Refusal, refuse};

/// Greatest depth of nested expressions.
const DEPTH_MAX: u32 = 64;

type Result<T> = std::result::Result<T, Refusal>;

pub(super) struct Evaluator<'a> {
    lexemes: &'a [Lexeme<'a>],
    position: usize,
    line: u32,
    variables: &'a Variables,
    lookup: Lookup<'a>,
    /// The names looked up, with their values.
    seen: Vec<(&'a str, Value)>,
    skipping: bool,
    depth: u32,
}

impl<'a> Evaluator<'a> {
    pub fn new(
        lexemes: &'a [Lexeme<'a>],
        line: u32,
        variables: &'a Variables,
        lookup: Lookup<'a>,
    ) -> Evaluator<'a> {
        Evaluator {
            lexemes,
            position: 0,
            line,
            variables,
            lookup,
            seen: Vec::new(),
            skipping: false,
            depth: 0,
        }
    }

    /// Returns how many lexemes were taken.
    pub fn position(&self) -> usize {
        self.position
    }

    pub fn seen(&self) -> &[(&'a str, Value)] {
        &self.seen
    }

    /// An expression that is all there is.
    pub fn whole(&mut self) -> Result<Value> {
        let value = self.expression()?;
        match self.peek() {
            None => Ok(value),
            Some(_) => self.unexpected(),
        }
    }

    /// An expression that a comma and a message may follow.
    pub fn condition(&mut self) -> Result<Value> {
        let value = self.expression()?;
        match self.peek() {
            None | Some(Symbol::Operator(",")) => Ok(value),
            Some(_) => self.unexpected(),
        }
    }

    fn peek(&self) -> Option<Symbol<'a>> {
        self.lexemes.get(self.position).map(|lexeme| lexeme.symbol)
    }

    fn take(&mut self, operator: &str) -> bool {
        let is_next = matches!(self.peek(), Some(Symbol::Operator(o)) if o == operator);
        self.position += usize::from(is_next);
        is_next
    }

    fn take_name(&mut self, name: &str) -> bool {
        let is_next = self.peek() == Some(Symbol::Name(name));
        self.position += usize::from(is_next);
        is_next
    }

    fn take_any(&mut self, operators: &[&'static str]) -> Option<&'static str> {
        operators
            .iter()
            .copied()
            .find(|operator| self.take(operator))
    }

    fn expect(&mut self, operator: &str) -> Result<()> {
        match self.take(operator) {
            true => Ok(()),
            false => self.unexpected(),
        }
    }

    fn unexpected<T>(&self) -> Result<T> {
        match self.lexemes.get(self.position) {
            Some(lexeme) if lexeme.text == "=" => {
                refuse(lexeme.line, "code: equality is tested by ==, not by =")
            }
            Some(lexeme) => refuse(
                lexeme.line,
                format!("code: {:?} cannot stand here", lexeme.text),
            ),
            None => refuse(self.line, "code: the expression ends early"),
        }
    }

    fn fail<T>(&self, reason: &str) -> Result<T> {
        refuse(self.line, format!("code: {reason}"))
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == DEPTH_MAX {
            return self.fail("the expression nests too deeply");
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Reads without working out when `skip`.
    fn branch<T>(&mut self, skip: bool, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let outer = self.skipping;
        self.skipping |= skip;
        let result = inner(self);
        self.skipping = outer;
        result
    }

    /// `a if c else b`. Unlike in Python, a must have a value even where c is false.
    fn expression(&mut self) -> Result<Value> {
        self.deeper(|this| {
            let value = this.disjunction()?;
            if !this.take_name("if") {
                return Ok(value);
            }
            let condition = this.disjunction()?.is_true();
            if !this.take_name("else") {
                return this.unexpected();
            }
            let other = this.branch(condition, Self::expression)?;
            Ok(if condition { value } else { other })
        })
    }

    fn disjunction(&mut self) -> Result<Value> {
        let mut value = self.conjunction()?;
        while self.take_name("or") || self.take("||") {
            let is_decided = value.is_true();
            let other = self.branch(is_decided, Self::conjunction)?;
            value = if is_decided { value } else { other };
        }
        Ok(value)
    }

    fn conjunction(&mut self) -> Result<Value> {
        let mut value = self.negation()?;
        while self.take_name("and") || self.take("&&") {
            let is_decided = !value.is_true();
            let other = self.branch(is_decided, Self::negation)?;
            value = if is_decided { value } else { other };
        }
        Ok(value)
    }

    fn negation(&mut self) -> Result<Value> {
        if self.take_name("not") || self.take("!") {
            let value = self.deeper(Self::negation)?;
            return Ok(Value::truth(!value.is_true()));
        }
        self.comparison()
    }

    /// A chain: `1 <= x < 3` is `1 <= x and x < 3`.
    fn comparison(&mut self) -> Result<Value> {
        let mut left = self.bits()?;
        let mut holds = None;
        loop {
            let operator = match self.take_any(&["==", "!=", "<=", ">=", "<", ">"]) {
                Some(operator) => operator,
                None if self.take_name("in") => "in",
                None if self.take_name("not") => {
                    if !self.take_name("in") {
                        return self.unexpected();
                    }
                    "not in"
                }
                None => return Ok(holds.map_or(left, Value::truth)),
            };
            let right = self.bits()?;
            let is_so = self.skipping || self.compare(operator, &left, &right)?;
            holds = Some(holds.unwrap_or(true) && is_so);
            left = right;
        }
    }

    fn compare(&self, operator: &str, left: &Value, right: &Value) -> Result<bool> {
        let contains = || match right {
            Value::List(elements) => Ok(elements.iter().any(|element| element.equals(left))),
            _ => self.fail("\"in\" needs a list"),
        };
        match operator {
            "==" => return Ok(left.equals(right)),
            "!=" => return Ok(!left.equals(right)),
            "in" => return contains(),
            "not in" => return contains().map(|found| !found),
            _ => {}
        }
        let Some(order) = left.order(right) else {
            return self.fail("these values do not compare");
        };
        Ok(match operator {
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            _ => order.is_ge(),
        })
    }

    fn bits(&mut self) -> Result<Value> {
        self.binary(&["|"], |this| {
            this.binary(&["^"], |this| this.binary(&["&"], Self::shift))
        })
    }

    fn shift(&mut self) -> Result<Value> {
        self.binary(&["<<", ">>"], |this| this.binary(&["+", "-"], Self::term))
    }

    fn term(&mut self) -> Result<Value> {
        self.binary(&["*", "//", "/", "%"], Self::factor)
    }

    fn factor(&mut self) -> Result<Value> {
        match self.take_any(&["-", "+", "~"]) {
            Some(sign) => {
                let value = self.deeper(Self::factor)?;
                match sign {
                    "-" => self.operate("-", &Value::Integer(0), &value),
                    "~" => self.operate("^", &Value::Integer(-1), &value),
                    _ => Ok(value),
                }
            }
            None => self.power(),
        }
    }

    fn power(&mut self) -> Result<Value> {
        let base = self.element()?;
        if !self.take("**") {
            return Ok(base);
        }
        let exponent = self.deeper(Self::factor)?;
        self.operate("**", &base, &exponent)
    }

    fn binary(
        &mut self,
        operators: &[&'static str],
        operand: impl Fn(&mut Self) -> Result<Value>,
    ) -> Result<Value> {
        let mut value = operand(self)?;
        while let Some(operator) = self.take_any(operators) {
            let right = operand(self)?;
            value = self.operate(operator, &value, &right)?;
        }
        Ok(value)
    }

    pub fn operate(&self, operator: &str, left: &Value, right: &Value) -> Result<Value> {
        if self.skipping {
            return Ok(Value::Integer(0));
        }
        if let (Value::Integer(a), Value::Integer(b)) = (left, right) {
            if operator == "/" {
                return self.divide(*a as f64, *b as f64);
            }
            if matches!(operator, "//" | "%") && *b == 0 {
                return self.fail("division by zero");
            }
            return match integers(operator, *a, *b) {
                Some(value) => Ok(Value::Integer(value)),
                None => self.fail("the result is out of range"),
            };
        }
        let (Some(a), Some(b)) = (left.real(), right.real()) else {
            return self.fail("arithmetic needs numbers");
        };
        match operator {
            "+" => Ok(Value::Real(a + b)),
            "-" => Ok(Value::Real(a - b)),
            "*" => Ok(Value::Real(a * b)),
            "/" => self.divide(a, b),
            _ => self.fail("this operator needs whole numbers"),
        }
    }

    fn divide(&self, a: f64, b: f64) -> Result<Value> {
        if b == 0.0 {
            return self.fail("division by zero");
        }
        Ok(Value::Real(a / b))
    }
}
