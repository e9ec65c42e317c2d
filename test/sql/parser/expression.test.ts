import test from 'ava';
import fc from 'fast-check';
import { maxNesting } from '../../../src/sql/parser/cursor.js';
import { maxChainOperands } from '../../../src/sql/parser/expression.js';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import type { Expression } from '../../../src/sql/syntax/ast.js';
import { printExpression } from '../../support/sql/print-statement.js';
import { randomExpression } from '../../support/sql/random-syntax.js';
import { expressionOf, faultOf, shapeOf } from '../../support/sql/syntax.js';

/** Each source text with its fully bracketed reading. */
function reads(t: { is(actual: string, expected: string, message?: string): void }, cases: Record<string, string>) {
  for (const [source, expected] of Object.entries(cases)) t.is(printExpression(expressionOf(source)), expected, source);
}

test('binds operators by the levels of the dialect', (t) => {
  reads(t, {
    'a + b * c - d': '((a + (b * c)) - d)',
    'a - b - c': '((a - b) - c)',
    'a / b % c * d': '(((a / b) % c) * d)',
    '-a * -b': '((- a) * (- b))',
    '+a': 'a',
    '- - a': '(- (- a))',
    'a & b + c | d & e': '((a & (b + c)) | (d & e))',
    'a + 1 > b & 2': '((a + 1) > (b & 2))',
    'NOT a = 1 AND b != 2 OR c': '(((NOT (a = 1)) AND (b <> 2)) OR c)',
    'a OR b AND c': '(a OR (b AND c))',
    'NOT NOT a': '(NOT (NOT a))',
    '(a + b) * c': '((a + b) * c)',
    "j->'k' = 'v'": "((j -> 'k') = 'v')",
    "j->'k' + 1": "((j -> 'k') + 1)",
    "t.j->'k' IS NULL": "((t.j -> 'k') IS NULL)",
  });
});

test('reads every predicate', (t) => {
  reads(t, {
    'a is null': '(a IS NULL)',
    'a IS NOT NULL and b': '((a IS NOT NULL) AND b)',
    'a between 1 and 2 + 3 and b': '((a BETWEEN 1 AND (2 + 3)) AND b)',
    'a not between 1 and 2': '(a NOT BETWEEN 1 AND 2)',
    "a in ('x', 1, -2)": "(a IN ('x', 1, (- 2)))",
    'a NOT IN (1)': '(a NOT IN (1))',
    "a like 'x%'": "(a LIKE 'x%')",
    "a not like 'x\\_'": "(a NOT LIKE 'x\\\\_')",
    "a match '^x' or a nmatch 'y' or a regexp 'z' or a not regexp 'w'":
      "(((a MATCH '^x') OR (a NMATCH 'y')) OR ((a REGEXP 'z') OR (a NOT REGEXP 'w')))",
    "j contains 'k'": "(j CONTAINS 'k')",
    "('' = '' or endpoint in ('a'))": "(('' = '') OR (endpoint IN ('a')))",
  });
});

test('reads literals exactly', (t) => {
  reads(t, {
    '18446744073709551615': '18446744073709551615',
    '9007199254740993': '9007199254740993',
    '0x1F': '31',
    '0B101': '5',
    '007': '7',
    '1.50': '1.50',
    '.5e-3': '.5e-3',
    '10S / 1s': '(10s / 1s)',
    "'it''s'": "'it''s'",
    '"say ""x"""': `'say "x"'`,
    "TIMESTAMP '2024-01-02'": "TIMESTAMP '2024-01-02'",
    'NULL = true': '(NULL = TRUE)',
  });
  t.is(expressionOf('18446744073709551616').kind, 'number');
  t.is(expressionOf('00000000000000000000000000000001').kind, 'integer');
  t.is(faultOf('select 0x1FFFFFFFFFFFFFFFF').code, 0x2600);
  t.is(faultOf('select 99999999999999999999s').code, 0x2600);
});

test('reads names, qualified, quoted, pseudo columns and reserved words', (t) => {
  reads(t, {
    'Meters.Voltage': 'meters.voltage',
    '`D 1`.`Select`': '`D 1`.`Select`',
    't.from': 't.from',
    TBNAME: 'tbname',
    'a._WSTART': 'a._wstart',
    _c0: '_c0',
    'timestamp + value': '(timestamp + value)',
    'desc * last': '(desc * last)',
  });
});

test('reads calls and the special call syntaxes', (t) => {
  reads(t, {
    'now - 1h': '(NOW - 1h)',
    'Now() + 1d': '(NOW() + 1d)',
    'today()': 'TODAY()',
    't.now': 't.now',
    '`now`': '`now`',
    'count(*)': 'COUNT(*)',
    'last(t.*, *)': 'LAST(t.*, *)',
    'avg( abs(`A b`) )': 'AVG(ABS(`A b`))',
    'trim(s)': 'TRIM(s)',
    'trim(leading from s)': "TRIM(s, 'LEADING')",
    "trim(both 'x' from s)": "TRIM(s, 'BOTH', 'x')",
    "trim('x' from s)": "TRIM(s, 'BOTH', 'x')",
    'trim(both)': 'TRIM(both)',
    'substring(s from 2 for 3)': 'SUBSTRING(s, 2, 3)',
    'substr(s, 2)': 'SUBSTR(s, 2)',
    "position('a' in s)": "POSITION('a', s)",
    'cast(a + 1 as bigint unsigned)': 'CAST((a + 1) AS BIGINT UNSIGNED)',
    'cast(a as binary(8))': 'CAST(a AS VARCHAR(8))',
    'cast(a as varchar)': 'CAST(a AS VARCHAR)',
    'if(a, b, c)': 'IF(a, b, c)',
    'left(s, 2)': 'LEFT(s, 2)',
    'interp(c, 1)': 'INTERP(c, 1)',
  });
});

test('reads both forms of CASE', (t) => {
  reads(t, {
    'case when a > 1 then 2 else 3 end': 'CASE WHEN (a > 1) THEN 2 ELSE 3 END',
    "case a when 1 then 'x' when 2 then 'y' end": "CASE a WHEN 1 THEN 'x' WHEN 2 THEN 'y' END",
  });
});

test('gives spans that lead back to the source', (t) => {
  const source = 'select abs( a ) + t.b';
  const node = expressionOf('abs( a ) + t.b');
  t.is(source.slice(node.span.start, node.span.end), 'abs( a ) + t.b');
  if (node.kind !== 'binary') return t.fail();
  t.is(source.slice(node.left.span.start, node.left.span.end), 'abs( a )');
  return t.is(source.slice(node.right.span.start, node.right.span.end), 't.b');
});

test('refuses what is no expression', (t) => {
  const cases: Record<string, number> = {
    'select a b c': 0x2600,
    'select a = b = c': 0x2600,
    'select a in ()': 0x2600,
    'select *, * + 1': 0x2600,
    'select t.* + 1': 0x2600,
    'select (a': 0x2601,
    'select a)': 0x2600,
    'select case end': 0x2600,
    'select case when 1 then 2': 0x2601,
    'select 1.5s': 0x2600,
    "select 'open": 0x2600,
    'select db.t.c': 0x2600,
    'select j->k': 0x2600,
    'select cast(a as text)': 0x2600,
    'select a, from t': 0x2600,
    'select ?': 0x2600,
    'select count(': 0x2601,
    'select a between 1': 0x2601,
  };
  for (const [source, code] of Object.entries(cases)) t.is(faultOf(source).code, code, source);
  t.is(faultOf('select a, from t').message, 'syntax error near "from t"');
});

test('reads calls over rows', (t) => {
  for (const source of [
    'RANK() OVER (ORDER BY a DESC, b)',
    'SUM(a) OVER (PARTITION BY b, c ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)',
    'COUNT(*) OVER ()',
  ]) {
    const statement = parseStatement(`select ${source}`);
    t.true(statement.kind === 'query' && statement.query.kind === 'select');
    if (statement.kind !== 'query' || statement.query.kind !== 'select') continue;
    t.is(printExpression(statement.query.items[0]!.value), source);
  }
});

test('refuses queries outside of a query as not available', (t) => {
  const refused = ['delete from t where a > (select 1)', 'delete from t where exists(select 1)'];
  for (const source of refused) t.is(faultOf(source).code, 0x0100, source);
});

test('reads queries as values, in IN and in EXISTS', (t) => {
  for (const source of ['(SELECT 1)', '(a IN (SELECT b FROM t))', '(a NOT IN (SELECT b FROM t))', 'EXISTS(SELECT 1)']) {
    const statement = parseStatement(`select ${source}`);
    t.true(statement.kind === 'query' && statement.query.kind === 'select');
    if (statement.kind !== 'query' || statement.query.kind !== 'select') continue;
    t.is(printExpression(statement.query.items[0]!.value), source);
  }
});

function depthOf(node: Expression): number {
  return node.kind === 'binary' ? 1 + Math.max(depthOf(node.left), depthOf(node.right)) : 1;
}

test('keeps long chains of AND and OR shallow and in order', (t) => {
  const terms = Array.from({ length: 10_000 }, (_, i) => `a${i} = ${i}`);
  for (const operator of ['AND', 'OR']) {
    const node = expressionOf(terms.join(` ${operator} `));
    t.true(depthOf(node) < 20);
    t.is(printExpression(node).replaceAll(/[()]/g, ''), terms.join(` ${operator} `));
  }
});

test('reads long arithmetic chains and refuses those that nobody could work out', (t) => {
  const chain = (terms: number) => `select ${Array.from({ length: terms }, () => 'a').join('+')}`;
  t.notThrows(() => expressionOf(chain(maxChainOperands).slice(7)));
  t.is(faultOf(chain(maxChainOperands + 1)).code, 0x2600);
});

test('answers deep nesting with a fault instead of an overflow', (t) => {
  const wrap = (open: string, close: string, levels: number) => `select ${open.repeat(levels)}1${close.repeat(levels)}`;
  const forms: [string, string][] = [
    ['(', ')'],
    ['abs(', ')'],
    ['- ', ''],
    ['not ', ''],
    ['case when ', ' then 1 end'],
    ['a in (', ')'],
    ['a->', ''],
  ];
  for (const [open, close] of forms) {
    t.is(faultOf(wrap(open, close, 100_000)).code, 0x2600, open);
    if (open !== 'a->') t.notThrows(() => expressionOf(wrap(open, close, maxNesting - 2).slice(7)), open);
  }
});

test('reads back every expression it can print', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(randomExpression, (node) => {
        t.deepEqual(shapeOf(expressionOf(printExpression(node))), shapeOf(node));
      }),
      { numRuns: 400 },
    ),
  );
});
