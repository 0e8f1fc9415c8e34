//! The code blocks of scripts: assertions on what the connection reports.
//!
//! Packetdrill hands them to Python. Here the part of Python is understood that assertions
//! are made of: `assert` with a message, assignment, `print` (which is silent here), `if`, `for`
//! and `while`, and expressions of numbers, names, lists, comparisons, arithmetic, `and`, `or`,
//! `not`, `in` and a few functions. `&&`, `||` and `!` are taken for their C meaning. Anything else
//! is not supported and says so.

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::refusal::{Refusal, refuse};

mod arithmetic;
mod evaluate;
mod execute;
mod lexer;
mod value;

pub use value::Value;

use evaluate::Evaluator;
use execute::{ScriptScope, StatementFlow};

/// Looks up a name that the code did not define.
pub(crate) type Lookup<'a> = &'a dyn Fn(&str) -> Option<Value>;

/// Outcome of a code block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BlockOutcome {
    Held,
    /// An assertion did not hold: its line, itself, and the values of the names in it.
    Broken {
        line: u32,
        assertion: String,
    },
}

/// The names that code blocks of one script have defined, and how much work they have made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables {
    values: BTreeMap<String, Value>,
    work: Cell<u64>,
}

/// No script's code makes more work, in statements and in values that are copied.
const WORK_MAX: u64 = 2_000_000;
const MORE_WORK: &str = "this makes more work than any script";

/// Runs the code block that begins in `line`.
pub(crate) fn run(
    code: &str,
    line: u32,
    variables: &mut Variables,
    lookup: Lookup<'_>,
) -> Result<BlockOutcome, Refusal> {
    let statements = lexer::statements(code, line)?;
    match ScriptScope::new(variables, lookup).run(&statements)? {
        StatementFlow::Broken(outcome) => Ok(outcome),
        StatementFlow::Next => Ok(BlockOutcome::Held),
        StatementFlow::Break | StatementFlow::Continue => refuse(line, "code: this is no loop"),
    }
}

/// The value of an expression of numbers alone.
pub(crate) fn number(expression: &str) -> Option<i64> {
    let statements = lexer::statements(expression, 1).ok()?;
    let [statement] = statements.as_slice() else {
        return None;
    };
    let lexemes = &statement.lexemes;
    let variables = Variables::default();
    let mut evaluator = Evaluator::new(lexemes, 1, &variables, &|_| None);
    match evaluator.whole() {
        Ok(Value::Integer(value)) => Some(value),
        _ => None,
    }
}

impl Variables {
    /// A name that stands for a number from the start.
    pub fn define(&mut self, name: &str, value: i64) {
        self.set(name, Value::Integer(value));
    }

    fn set(&mut self, name: &str, value: Value) {
        self.values.insert(name.to_owned(), value);
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// Takes part of the work that a script may make; whether there was as much.
    fn afford(&self, work: u64) -> bool {
        let made = self.work.get().saturating_add(work);
        self.work.set(made);
        made <= WORK_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup(name: &str) -> Option<Value> {
        match name {
            "tcpi_snd_cwnd" => Some(Value::Integer(10)),
            "tcpi_rto" => Some(Value::Integer(200_000)),
            "TCP_CA_Open" => Some(Value::Integer(0)),
            _ => None,
        }
    }

    fn outcome(code: &str) -> Result<BlockOutcome, Refusal> {
        run(code, 1, &mut Variables::default(), &lookup)
    }

    fn holds(code: &str) -> bool {
        outcome(code).unwrap_or_else(|refusal| panic!("{code}: {}", refusal.reason))
            == BlockOutcome::Held
    }

    #[test]
    fn comparisons_and_arithmetic_follow_python() {
        for code in [
            "assert tcpi_snd_cwnd == 10",
            "assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd",
            "assert 9 <= tcpi_snd_cwnd < 11, 'cwnd=%d' % tcpi_snd_cwnd",
            "assert tcpi_snd_cwnd in (9, 10)",
            "assert tcpi_snd_cwnd not in [1, 2]",
            "assert abs(tcpi_rto - 200000) < 10 and not tcpi_rto == 0",
            "assert -7 // 2 == -4 and -7 % 2 == 1 and 7 / 2 == 3.5",
            "assert 2 + 3 * 2 ** 2 == 14",
            "assert (1 << 4 | 1) & 0x11 == 17",
            "assert (1 if tcpi_snd_cwnd > 5 else 0) == 1",
            "assert tcpi_snd_cwnd == 10 && !(tcpi_rto == 0)",
            "assert True or undefined_and_not_reached",
            "x = 2 * tcpi_snd_cwnd; assert x == 20",
            "assert max(1, 2, 3) - min(4, 5) == -1",
            "assert int(7.9) == 7 and round(7.5) == 8",
        ] {
            assert!(holds(code), "{code}");
        }
        for code in [
            "assert tcpi_snd_cwnd > 10",
            "assert 0",
            "assert not True",
            "assert 1 == 2 == 2",
        ] {
            assert!(!holds(code), "{code}");
        }
    }

    #[test]
    fn suites_are_indented_below_their_heads() {
        assert!(holds(
            "
import sys
total = 0
for i in range(4):
    if i == 1:
        continue
    elif i == 3:
        break
    else:
        total += 10 * i
        total += 1
assert total == 22, f'{total} is wrong'
while total > 20: total -= 1
assert total == 20 and len([1, 2]) == 2 and [5, 6][-1] == 6
if tcpi_snd_cwnd != 10: raise ValueError(\"no\")
print('done', end='')"
        ));
        let code = "if tcpi_snd_cwnd == 10:\n  assert tcpi_rto == 1, \"\"\"long\nwords\"\"\"";
        let assertion = "tcpi_rto == 1, tcpi_rto is 200000".to_owned();
        assert_eq!(
            outcome(code),
            Ok(BlockOutcome::Broken { line: 2, assertion })
        );
    }

    #[test]
    fn a_broken_assertion_tells_the_values_it_saw() {
        let broken = outcome("\nprint('look')\nassert tcpi_snd_cwnd == 11, 'grew'").unwrap();
        let assertion = "tcpi_snd_cwnd == 11, tcpi_snd_cwnd is 10".to_owned();
        assert_eq!(broken, BlockOutcome::Broken { line: 3, assertion });
    }

    #[test]
    fn a_statement_goes_on_inside_brackets_and_after_a_backslash() {
        assert!(holds(
            "assert (tcpi_snd_cwnd\n == 10)\nassert tcpi_snd_cwnd \\\n == 10"
        ));
    }

    #[test]
    fn what_is_not_understood_is_refused_with_its_line() {
        let cases = [
            ("def f(): pass", "no assertion"),
            ("os.getpid()", "no assertion"),
            ("while True: pass", "more work"),
            ("for x in 7: pass", "needs a list"),
            ("if 1 assert 1", "without a colon"),
            ("if 1:", "nothing stands below"),
            ("assert tcpi_colour == 1", "tcpi_colour"),
            ("assert 1 / 0", "by zero"),
            ("assert f(1)", "f"),
            ("assert 1 +", "ends early"),
            ("assert 1 1", "\"1\" cannot stand"),
            ("assert * 3", "\"*\" cannot stand"),
            ("assert 1 = 1", "tested by =="),
            ("assert 1 << 99", "out of range"),
            ("assert 9223372036854775807 + 1", "out of range"),
        ];
        for (code, reason) in cases {
            let refusal = outcome(&format!("\n{code}")).unwrap_err();
            assert_eq!(refusal.line, 2, "{code}");
            assert!(
                refusal.reason.contains(reason),
                "{code}: {}",
                refusal.reason
            );
        }
    }

    #[test]
    fn work_is_bounded_however_loops_and_lists_nest() {
        let doubled = "\nx = [x, x]".repeat(60);
        for code in [
            "for i in range(1000):\n for j in range(1000):\n  for k in range(1000):\n   pass",
            "i = 0\nwhile i < 99999:\n i += 1\n j = 0\n while j < 99999:\n  j += 1",
            &format!("x = [1]{doubled}"),
            "x = range(1000000)\nfor i in x:\n assert len(x) == 1000000",
            "x = range(1000000)\nfor i in range(99999):\n assert 1 in [x, x] or 1",
        ] {
            let reason = outcome(code).unwrap_err().reason;
            assert!(reason.contains("more work"), "{code}: {reason}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        for opening in ["(", "-", "not ", "1 if 1 else "] {
            let code = format!("assert {}", opening.repeat(10_000));
            assert!(outcome(&code).is_err(), "{opening}");
        }
        let nested: String = (0..1000)
            .map(|depth| format!("{}if 1:\n", " ".repeat(depth)))
            .collect();
        assert!(outcome(&format!("{nested}{}pass", " ".repeat(1000))).is_err());
    }
}
