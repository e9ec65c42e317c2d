import test from 'ava';
import fc from 'fast-check';
import { FaultError } from '../../../src/model/fault.js';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import type { Statement } from '../../../src/sql/syntax/ast-statement.js';
import { processorMs } from '../../support/processor-time.js';
import { bare, faultOf, shapeOf } from '../../support/sql/syntax.js';

const realStatements: Record<string, Statement['kind']> = {
  'SELECT server_version()': 'query',
  'select server_status();': 'query',
  'SELECT 1': 'query',
  'SELECT 1+1 AS x': 'query',
  "SELECT ABS(-3), CONCAT('a','b')": 'query',
  'SELECT COUNT(*) FROM (SELECT DISTINCT(TBNAME) FROM stb)': 'query',
  'select name from information_schema.ins_databases where vgroups is not null': 'query',
  "SELECT stable_name FROM information_schema.ins_stables WHERE db_name = 'power' ORDER BY stable_name": 'query',
  "select _wstart as ts, avg(current) from power.meters where ts >= '2024-01-01T00:00:00.000Z' and ts < '2024-01-02T00:00:00.000Z' interval(500a) fill(null)":
    'query',
  "SELECT _wstart, last(cpu_percent) FROM log.dnodes_info WHERE _ts >= 1700000000000 AND _ts <= 1700000060000 AND ('' = '' or endpoint in ('a')) PARTITION BY endpoint INTERVAL(1000a) FILL(VALUE, 0) ORDER BY _wstart":
    'query',
  'select first(_ts) as ts, count(*) from s partition by cluster_id having first(_ts) > 0': 'query',
  'SELECT sum(`count(*)`) FROM (SELECT count(*) FROM t GROUP BY g)': 'query',
  "select metrics.*, tbname from metrics where ts >= '2024-01-01T00:00:00Z' and ts <= '2024-01-02T00:00:00Z' and labels->'job' = 'node' and labels->'x' != 'y' and labels->'z' match '^a'":
    'query',
  "SELECT tbname, max(v), ts FROM s WHERE ts > NOW - 1h AND tbname IN ('d1', 'd2') GROUP BY tbname": 'query',
  'select diff(a), derivative(b, 1s, 0), statecount(c, "LT", 5) from t': 'query',
  'select _irowts, _isfilled, interp(v, 1) from t partition by tbname range(now-1h, now) every(10s) fill(linear)':
    'query',
  'select case when a > 1 then "x" else "y" end, cast(b as double), to_iso8601(ts, "+08:00"), timetruncate(ts, 1d) from t':
    'query',
  'select (10s/1s), now() - 1n, today() + 8h': 'query',
  'select a.ts, b.v from a, b where a.ts = b.ts and a.g = b.g': 'query',
  'select tags loc, groupid from meters slimit 5 soffset 2 limit 10, 20': 'query',
  'select elapsed(ts, 1s), apercentile(v, 95, "t-digest"), histogram(v, "user_input", "[1,3]", 0) from t': 'query',
  'select count(*) from t state_window(case when v >= 225 then 1 else 0 end)': 'query',
  'EXPLAIN ANALYZE VERBOSE true RATIO 0.5 SELECT a FROM t': 'query',
  "INSERT INTO plant.p7 VALUES ('2024-03-01T00:00:00Z', 20.5, 7)('2024-03-01T00:00:01Z', 20.75, 8)": 'insert',
  'INSERT INTO archive (ts, v) SELECT ts, v FROM t WHERE ts > now - 1d': 'insert-select',
  'DELETE FROM power.d1001 WHERE ts >= 1700000000000 AND ts < 1700000001000': 'delete',
  "CREATE DATABASE IF NOT EXISTS db PRECISION 'ns' SCHEMALESS 1": 'create-database',
  'CREATE STABLE IF NOT EXISTS metrics (ts TIMESTAMP, v DOUBLE) TAGS (labels JSON)': 'create-table',
  'CREATE TABLE IF NOT EXISTS t_x USING metrics TAGS (\'{"a":"b"}\')': 'create-child-tables',
  'ALTER STABLE `db`.`m` ADD COLUMN `f` DOUBLE': 'alter-table',
  'DROP TABLE IF EXISTS a, IF EXISTS d.b': 'drop-table',
  'DROP STABLE IF EXISTS s': 'drop-table',
  'DROP DATABASE IF EXISTS force d': 'drop-database',
  'DROP DATABASE force': 'drop-database',
  'USE power': 'use',
  'DESCRIBE power.meters': 'describe',
  'DESC meters;': 'describe',
  'SHOW power.STABLES': 'show',
  "CREATE USER u PASS 'Ab!12345' SYSINFO 1": 'create-user',
  'DROP USER IF EXISTS u': 'drop-user',
  'FLUSH DATABASE power': 'accepted',
  'CREATE TOPIC IF NOT EXISTS x AS SELECT ts FROM t': 'create-topic',
};

test('reads the statements of dashboards, agents and load tools', (t) => {
  for (const [text, kind] of Object.entries(realStatements)) t.is(parseStatement(text).kind, kind, text);
});

test('reads drops, use, delete and explain in full', (t) => {
  const shape = (text: string) => shapeOf(parseStatement(text));
  const table = (name: string) => ({ database: undefined, name: bare(name) });
  t.deepEqual(shape('drop table if exists a, b'), {
    kind: 'drop-table',
    stable: false,
    tables: [
      { ifExists: true, table: table('a') },
      { ifExists: false, table: table('b') },
    ],
  });
  t.deepEqual(shape('drop database if exists d'), { kind: 'drop-database', name: bare('d'), ifExists: true });
  t.deepEqual(shape('drop database force d'), { kind: 'drop-database', name: bare('d'), ifExists: false });
  t.deepEqual(shape('drop database force;'), { kind: 'drop-database', name: bare('force'), ifExists: false });
  t.deepEqual(shape('drop user u'), { kind: 'drop-user', name: bare('u'), ifExists: false });
  t.deepEqual(shape('delete from t'), { kind: 'delete', table: table('t'), where: undefined });
  t.like(shape('select 1'), { kind: 'query', explain: undefined });
  t.like(shape('explain select 1'), { kind: 'query', explain: { analyze: false, verbose: false } });
  t.like(shape('explain analyze verbose true ratio 0.5 select 1'), { explain: { analyze: true, verbose: true } });
});

test('quotes the statement from the offending token to its end', (t) => {
  t.is(faultOf('selec 1 from t').message, 'syntax error near "selec 1 from t"');
  t.is(faultOf('  /* c */ foo bar ').message, 'syntax error near "foo bar"');
  t.is(faultOf('select a frm t where x').message, 'syntax error near "t where x"');
  t.is(faultOf('create foo d').message, 'syntax error near "foo d"');
  t.is(faultOf("select 'open").message, `syntax error near "'open"`);
  t.is(faultOf('select /* open').message, 'syntax error near "/* open"');
  t.true(faultOf(`foo ${'x'.repeat(100_000)}`).message.length < 600);
});

test('tells an incomplete statement from a wrong one', (t) => {
  for (const text of [
    '',
    ' ',
    ';',
    '-- only a comment',
    'select',
    'select a from',
    'create',
    'drop table',
    'select a from t where',
    'show ;',
  ]) {
    t.is(faultOf(text).code, 0x2601, text);
  }
});

test('allows one semicolon at the end and no second statement', (t) => {
  t.notThrows(() => parseStatement('select 1 ; '));
  t.notThrows(() => parseStatement('select 1; -- bye'));
  t.is(faultOf('select 1; select 2').message, 'syntax error near "select 2"');
  t.is(faultOf('select 1;;').message, 'syntax error near ";"');
  t.is(faultOf('drop table a; drop table b').code, 0x2600);
});

function parsesOrFaults(text: string): boolean {
  try {
    parseStatement(text);
    return true;
  } catch (error) {
    return error instanceof FaultError && [0x2600, 0x2601, 0x2617, 0x265d, 0x0100].includes(error.fault.code);
  }
}

test('answers any token soup with a statement or a fault', (t) => {
  const vocabulary = [
    ...new Set(
      Object.keys(realStatements)
        .join(' ')
        .match(/\w+|[^\s\w]/g),
    ),
  ];
  const token = fc.oneof(
    fc.constantFrom(...vocabulary),
    fc.constantFrom('``', "'", '"', '`', '/*', '--', '->', '10s', '😀'),
  );
  const soup = fc.array(token, { maxLength: 30 }).map((tokens) => tokens.join(' '));
  const begun = fc.tuple(fc.constantFrom('select a', 'create table', 'show', 'alter', 'select a from t'), soup);
  t.notThrows(() => {
    fc.assert(fc.property(soup, parsesOrFaults), { numRuns: 1000 });
    fc.assert(
      fc.property(begun, ([head, tail]) => parsesOrFaults(`${head} ${tail}`)),
      { numRuns: 1000 },
    );
    fc.assert(fc.property(fc.string({ unit: 'binary' }), parsesOrFaults), { numRuns: 400 });
  });
});

test('answers every damaged statement with a statement or a fault', (t) => {
  for (const text of Object.keys(realStatements)) {
    for (let at = 0; at < text.length; at += 1) {
      t.true(parsesOrFaults(text.slice(0, at)));
      t.true(parsesOrFaults(text.slice(0, at) + text.slice(at + 1)));
    }
  }
});

test('stays fast on long statements of every shape', (t) => {
  const repeat = (head: string, piece: string, tail = '') =>
    head + piece.repeat(Math.ceil((1 << 20) / piece.length)) + tail;
  const statements = [
    repeat('select a from t where a in (1', ",'x'", ')'),
    repeat('select a', ', t.b + 1 c'),
    repeat('create table ', 'd1 using s tags (1) '),
    repeat('select * from t where a = 1', ' and b.c = 2'),
    repeat('drop table a', ', b'),
    repeat('select ', '('),
    repeat('select ', 'a.'),
    repeat('select a', ' /* x */ '),
    repeat('select a from ', '((select 1) a join '),
    repeat('', 'show '),
    repeat('select case', ' when a then b'),
    repeat('select 1 ', 'union select 1 '),
    repeat('select ', '9'),
    repeat('select 0x', 'f'),
  ];
  for (const text of statements) {
    const started = processorMs();
    parsesOrFaults(text);
    t.true(processorMs() - started < 2000, text.slice(0, 40));
  }
});
