//! Atoms of expressions: literals, names, calls, lists and their elements.

use super::{Evaluator, Result};
use crate::code::MORE_WORK;
use crate::code::arithmetic::call;
use crate::code::lexer::Symbol;
use crate::code::value::Value;

impl<'a> Evaluator<'a> {
    /// `a[i]`
    pub(super) fn element(&mut self) -> Result<Value> {
        let mut value = self.atom()?;
        while self.take("[") {
            let index = self.deeper(Self::expression)?;
            self.expect("]")?;
            if self.skipping {
                continue;
            }
            let (Value::List(elements), Value::Integer(at)) = (&value, &index) else {
                return self.fail("only a list has elements");
            };
            let length = elements.len() as i64;
            let place = if *at < 0 { at + length } else { *at };
            let element = usize::try_from(place).ok().and_then(|p| elements.get(p));
            let Some(element) = element.cloned() else {
                return self.fail(&format!("there is no element {at} of {length}"));
            };
            value = element;
        }
        Ok(value)
    }

    fn atom(&mut self) -> Result<Value> {
        let Some(symbol) = self.peek() else {
            return self.unexpected();
        };
        match symbol {
            Symbol::Integer(value) => self.literal(Value::Integer(value)),
            Symbol::Real(value) => self.literal(Value::Real(value)),
            Symbol::Text(text) => self.literal(Value::Text(text.to_owned())),
            Symbol::Prefixed(text) => self.fail(&format!("the value of {text}")),
            Symbol::Name(name) => self.named(name),
            Symbol::Operator("(") => self.parenthesis(),
            Symbol::Operator("[") => {
                self.position += 1;
                self.list("]").map(Value::List)
            }
            Symbol::Operator(_) => self.unexpected(),
        }
    }

    fn literal(&mut self, value: Value) -> Result<Value> {
        self.position += 1;
        Ok(value)
    }

    /// `(a)` is a, `(a, b)` a list.
    fn parenthesis(&mut self) -> Result<Value> {
        self.position += 1;
        let first = self.expression()?;
        if self.take(")") {
            return Ok(first);
        }
        self.expect(",")?;
        let mut elements = vec![first];
        elements.extend(self.list(")")?);
        Ok(Value::List(elements))
    }

    fn list(&mut self, close: &str) -> Result<Vec<Value>> {
        let mut elements = Vec::new();
        while !self.take(close) {
            elements.push(self.expression()?);
            if !self.take(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(elements)
    }

    fn named(&mut self, name: &'a str) -> Result<Value> {
        self.position += 1;
        if self.take("(") {
            let arguments = self.list(")")?;
            let size: u64 = arguments.iter().map(Value::size).sum();
            if !self.variables.afford(size) {
                return self.fail(MORE_WORK);
            }
            return match call(name, &arguments) {
                _ if self.skipping => Ok(Value::Integer(0)),
                Some(value) if self.variables.afford(value.size()) => Ok(value),
                Some(_) => self.fail(MORE_WORK),
                None => self.fail(&format!("{name}() of these arguments")),
            };
        }
        match name {
            _ if self.skipping => return Ok(Value::Integer(0)),
            "True" => return Ok(Value::truth(true)),
            "False" | "None" => return Ok(Value::truth(false)),
            _ => {}
        }
        let own = self.variables.get(name);
        // What is looked at is copied twice: to be worked with, and to be told.
        if !self.variables.afford(own.map_or(1, Value::size)) {
            return self.fail(MORE_WORK);
        }
        let Some(value) = own.cloned().or_else(|| (self.lookup)(name)) else {
            return self.fail(&format!("{name} is not known"));
        };
        if !self.seen.iter().any(|seen| seen.0 == name) {
            self.seen.push((name, value.clone()));
        }
        Ok(value)
    }
}
