import test from 'ava';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { processorMs } from '../../support/processor-time.js';
import { bare, faultOf, shapeOf } from '../../support/sql/syntax.js';

test('leaves INSERT of values to its own scanner, faulty ones included', (t) => {
  for (const text of [
    "insert into d.t values (1, 'x')",
    'INSERT INTO t (ts, a) VALUES (now, 1) u using s tags (1) values (now, 2);',
    'import into t values (1)',
    'insert into t using s (a) tags (1) (ts) values (1)',
    'insert into',
    'insert t values (1)',
    'insert into t (a, 1) values',
    'insert into t (',
    "insert into t values ('open",
    'insert into t (a; drop',
  ]) {
    t.deepEqual(parseStatement(text), { kind: 'insert', offset: 0 }, text);
  }
});

test('tells where the INSERT begins', (t) => {
  t.deepEqual(parseStatement(' /* hi */\ninsert into t values (1)'), { kind: 'insert', offset: 10 });
});

test('looks only at the head of an INSERT', (t) => {
  const rows = "(1700000000000, 'x', 1.5),".repeat(200_000);
  parseStatement(`insert into t values ${rows}`);
  const started = processorMs();
  parseStatement(`insert into t (ts, a, b) values ${rows}`);
  t.true(processorMs() - started < 50);
});

test('reads INSERT from a query with and without columns', (t) => {
  const statement = parseStatement('insert into d.t (ts, `select`) select ts, a from u where a > 1');
  t.like(shapeOf(statement), { kind: 'insert-select', table: { database: bare('d'), name: bare('t') } });
  t.is(statement.kind === 'insert-select' ? statement.columns?.length : 0, 2);
  for (const text of [
    'insert into t select 1',
    'insert into t (select 1)',
    'insert into t (a) ((select 1) union (select 2))',
  ]) {
    t.is(parseStatement(text).kind, 'insert-select', text);
  }
  t.is(faultOf('insert into t select 1 foo bar').code, 0x2600);
});
