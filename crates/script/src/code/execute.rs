//! Statements: simple ones, and those with a suite that is indented below them.

use super::evaluate::Evaluator;
use super::lexer::{Lexeme, Statement, Symbol};
use super::value::Value;
use super::{BlockOutcome, Lookup, MORE_WORK, Variables};
use crate::refusal::{Refusal, refuse};

/// Greatest depth of nested suites.
const DEPTH_MAX: u32 = 64;

/// A value that is larger is not told.
const TOLD_MAX: u64 = 1000;

/// Where execution goes on after a statement.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StatementFlow {
    Next,
    Break,
    Continue,
    Broken(BlockOutcome),
}

type Result<T> = std::result::Result<T, Refusal>;

/// The names of a script, its own and the connection's.
pub(super) struct ScriptScope<'a> {
    pub variables: &'a mut Variables,
    pub lookup: Lookup<'a>,
    /// Number of suites that it is within.
    depth: u32,
}

/// A compound statement: its head without the colon, and what it governs.
struct Clause<'s, 'a> {
    head: &'s [Lexeme<'a>],
    inline: &'s [Lexeme<'a>],
    suite: &'s [Statement<'a>],
}

impl<'a> ScriptScope<'a> {
    pub fn new(variables: &'a mut Variables, lookup: Lookup<'a>) -> ScriptScope<'a> {
        ScriptScope {
            variables,
            lookup,
            depth: 0,
        }
    }
}

impl ScriptScope<'_> {
    /// Runs the statements one after the other.
    pub fn run(&mut self, statements: &[Statement<'_>]) -> Result<StatementFlow> {
        let mut rest = statements;
        while let Some(first) = rest.first() {
            let line = first.lexemes[0].line;
            if !self.variables.afford(first.lexemes.len() as u64) {
                return refuse(line, format!("code: {MORE_WORK}"));
            }
            let keyword = first.lexemes[0].symbol;
            let flow = match keyword {
                Symbol::Name("if") => self.choose(&mut rest)?,
                Symbol::Name("for") => self.for_each(&clause(&mut rest)?)?,
                Symbol::Name("while") => self.repeat(&clause(&mut rest)?)?,
                _ => {
                    rest = &rest[1..];
                    self.simple(&first.lexemes)?
                }
            };
            if flow != StatementFlow::Next {
                return Ok(flow);
            }
        }
        Ok(StatementFlow::Next)
    }

    fn govern(&mut self, clause: &Clause<'_, '_>) -> Result<StatementFlow> {
        if self.depth == DEPTH_MAX {
            return refuse(clause.head[0].line, "code: it nests too deeply");
        }
        self.depth += 1;
        let flow = match clause.inline {
            [] => StatementFlow::Next,
            inline => self.simple(inline)?,
        };
        let flow = match flow {
            StatementFlow::Next => self.run(clause.suite)?,
            flow => flow,
        };
        self.depth -= 1;
        Ok(flow)
    }

    /// `if a: ... elif b: ... else: ...`
    fn choose(&mut self, rest: &mut &[Statement<'_>]) -> Result<StatementFlow> {
        let mut is_decided = false;
        let mut flow = StatementFlow::Next;
        loop {
            let clause = clause(rest)?;
            let is_else = clause.head[0].symbol == Symbol::Name("else");
            if !is_decided && (is_else || self.value(&clause.head[1..])?.is_true()) {
                is_decided = true;
                flow = self.govern(&clause)?;
            }
            let next = rest.first().map(|next| next.lexemes[0].symbol);
            let goes_on = matches!(next, Some(Symbol::Name("elif" | "else")));
            if is_else || !goes_on {
                return Ok(flow);
            }
        }
    }

    /// `for name in list: ...`
    fn for_each(&mut self, clause: &Clause<'_, '_>) -> Result<StatementFlow> {
        let (line, head) = (clause.head[0].line, clause.head);
        let [_, variable, within, list @ ..] = head else {
            return refuse(line, "code: for needs a name and a list");
        };
        let (Symbol::Name(name), Symbol::Name("in")) = (variable.symbol, within.symbol) else {
            return refuse(line, "code: for needs a name and a list");
        };
        let Value::List(elements) = self.value(list)? else {
            return refuse(line, "code: for needs a list");
        };
        for element in elements {
            if !self.variables.afford(1 + clause.inline.len() as u64) {
                return refuse(line, format!("code: {MORE_WORK}"));
            }
            self.variables.set(name, element);
            match self.govern(clause)? {
                StatementFlow::Break => break,
                StatementFlow::Next | StatementFlow::Continue => {}
                broken @ StatementFlow::Broken(_) => return Ok(broken),
            }
        }
        Ok(StatementFlow::Next)
    }

    fn repeat(&mut self, clause: &Clause<'_, '_>) -> Result<StatementFlow> {
        while self.value(&clause.head[1..])?.is_true() {
            if !self.variables.afford(clause.head.len() as u64) {
                return refuse(clause.head[0].line, format!("code: {MORE_WORK}"));
            }
            match self.govern(clause)? {
                StatementFlow::Break => return Ok(StatementFlow::Next),
                StatementFlow::Next | StatementFlow::Continue => {}
                broken @ StatementFlow::Broken(_) => return Ok(broken),
            }
        }
        Ok(StatementFlow::Next)
    }

    fn value(&self, lexemes: &[Lexeme<'_>]) -> Result<Value> {
        let line = lexemes.first().map_or(1, |first| first.line);
        Evaluator::new(lexemes, line, self.variables, self.lookup).whole()
    }

    fn simple(&mut self, statement: &[Lexeme<'_>]) -> Result<StatementFlow> {
        let line = statement[0].line;
        match statement {
            [first, rest @ ..] if first.symbol == Symbol::Name("assert") => self.assert(rest, line),
            [only] if only.symbol == Symbol::Name("break") => Ok(StatementFlow::Break),
            [only] if only.symbol == Symbol::Name("continue") => Ok(StatementFlow::Continue),
            [only] if matches!(only.symbol, Symbol::Text(_)) => Ok(StatementFlow::Next), // a docstring
            [first, ..] if matches!(first.symbol, Symbol::Name("print" | "pass")) => {
                Ok(StatementFlow::Next)
            }
            // What a module has is refused where it is used.
            [first, ..] if matches!(first.symbol, Symbol::Name("import" | "from")) => {
                Ok(StatementFlow::Next)
            }
            [first, ..] if first.symbol == Symbol::Name("raise") => Ok(broken(statement, line)),
            [name, operator, rest @ ..] if assigns(operator).is_some() => {
                self.assign(name, operator, rest)
            }
            [first, ..] => refuse(line, format!("code: {} is no assertion", first.text)),
            [] => Ok(StatementFlow::Next),
        }
    }

    /// `name = value`, `name += value`
    fn assign(
        &mut self,
        name: &Lexeme<'_>,
        operator: &Lexeme<'_>,
        rest: &[Lexeme<'_>],
    ) -> Result<StatementFlow> {
        let Symbol::Name(own) = name.symbol else {
            return refuse(name.line, "code: only a name can be assigned to");
        };
        let value = match assigns(operator) {
            Some("=") | None => self.value(rest)?,
            Some(sign) => {
                let evaluator = Evaluator::new(rest, name.line, self.variables, self.lookup);
                let old = self.value(std::slice::from_ref(name))?;
                evaluator.operate(&sign[..1], &old, &self.value(rest)?)?
            }
        };
        self.variables.set(own, value);
        Ok(StatementFlow::Next)
    }

    /// `assert condition, message`; the message is for people and not evaluated.
    fn assert(&self, condition: &[Lexeme<'_>], line: u32) -> Result<StatementFlow> {
        let mut evaluator = Evaluator::new(condition, line, self.variables, self.lookup);
        if evaluator.condition()?.is_true() {
            return Ok(StatementFlow::Next);
        }
        let mut assertion = words(&condition[..evaluator.position()]);
        let told = |(_, value): &&(&str, Value)| value.size() <= TOLD_MAX;
        for (name, value) in evaluator.seen().iter().filter(told) {
            assertion += &format!(", {name} is {value}");
        }
        Ok(StatementFlow::Broken(BlockOutcome::Broken {
            line,
            assertion,
        }))
    }
}

fn assigns<'a>(operator: &Lexeme<'a>) -> Option<&'a str> {
    match operator.symbol {
        Symbol::Operator(sign @ ("=" | "+=" | "-=" | "*=")) => Some(sign),
        _ => None,
    }
}

fn broken(statement: &[Lexeme<'_>], line: u32) -> StatementFlow {
    let assertion = words(statement);
    StatementFlow::Broken(BlockOutcome::Broken { line, assertion })
}

fn words(lexemes: &[Lexeme<'_>]) -> String {
    let words: Vec<_> = lexemes.iter().map(|lexeme| lexeme.text).collect();
    words.join(" ")
}

/// Takes a head with its colon, and what is indented below it.
fn clause<'s, 'a>(rest: &mut &'s [Statement<'a>]) -> Result<Clause<'s, 'a>> {
    let statement = &rest[0];
    let lexemes = &statement.lexemes;
    let Some(colon) = colon(lexemes) else {
        let line = lexemes[0].line;
        return refuse(line, format!("code: {} without a colon", lexemes[0].text));
    };
    let inline = &lexemes[colon + 1..];
    let line = lexemes[0].line;
    let belongs = |next: &&Statement<'_>| match inline {
        [] => next.indent > statement.indent,
        _ => next.lexemes[0].line == line, // after a semicolon
    };
    let suite = rest[1..].iter().take_while(belongs).count();
    let clause = Clause {
        head: &lexemes[..colon],
        inline,
        suite: &rest[1..=suite],
    };
    if clause.inline.is_empty() && suite == 0 {
        return refuse(
            line,
            format!("code: nothing stands below {}", lexemes[0].text),
        );
    }
    *rest = &rest[1 + suite..];
    Ok(clause)
}

/// The first colon outside of brackets.
fn colon(lexemes: &[Lexeme<'_>]) -> Option<usize> {
    let mut open = 0;
    lexemes.iter().position(|lexeme| {
        match lexeme.symbol {
            Symbol::Operator("(" | "[" | "{") => open += 1,
            Symbol::Operator(")" | "]" | "}") => open -= 1,
            Symbol::Operator(":") => return open == 0,
            _ => {}
        }
        false
    })
}
