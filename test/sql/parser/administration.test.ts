import test from 'ava';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { bare, faultOf, shapeOf } from '../../support/sql/syntax.js';

test('accepts administrative statements without effect', (t) => {
  const cases: Record<string, string> = {
    'flush database d': 'FLUSH DATABASE',
    'trim database d max_speed 10': 'TRIM DATABASE',
    "compact database d start with '2024-01-01' end with now": 'COMPACT DATABASE',
    'ssmigrate database d': 'SSMIGRATE DATABASE',
    'balance vgroup leader database d': 'BALANCE VGROUP LEADER',
  };
  for (const [source, words] of Object.entries(cases)) {
    t.deepEqual(shapeOf(parseStatement(source)), { kind: 'accepted', words, database: bare('d') }, source);
  }
  for (const source of [
    'reset query cache;',
    'balance vgroup',
    'balance vgroup leader on 3',
    'redistribute vgroup 2 dnode 1 dnode 2',
    'split vgroup 3',
    'split vgroup 3 force',
    'merge vgroup 2 3',
    'compact vgroups in (2, 3) meta_only',
    'compact d.vgroups in (2) start with 1 force',
    'scan database d',
    'kill ssmigrate 1',
    'create snode on dnode 1',
    'drop qnode on dnode 1',
    "set timezone 'UTC'",
    "alter local 'debugflag' '131'",
    "alter dnode 1 'resetlog'",
    "alter all dnodes 'debugflag' '131'",
    "alter cluster 'x' 'y'",
  ]) {
    t.is(parseStatement(source).kind, 'accepted', source);
  }
});

test('reads an index on a tag', (t) => {
  const expected = {
    kind: 'create-index',
    index: { database: undefined, name: bare('x') },
    table: { database: bare('d'), name: bare('t') },
    tag: bare('g'),
    ifNotExists: false,
  };
  t.deepEqual(shapeOf(parseStatement('create index x on d.t (g);')), expected);
  t.is(parseStatement('create index if not exists d.x on d.t (g)').kind, 'create-index');
  t.is(faultOf('create index x on t').code, 0x2601);
  t.is(faultOf('create index x on t (a, b)').code, 0x2600);
});

test('reads which query and which connection is to be killed', (t) => {
  t.deepEqual(parseStatement('kill connection 4'), { kind: 'kill-connection', id: 4 });
  t.deepEqual(parseStatement("kill query '7:1'"), { kind: 'kill-query', id: '7:1' });
});

test('recognises what is not available by its first words', (t) => {
  const cases: Record<string, string> = {
    "create function f as 'x' outputtype int": 'CREATE FUNCTION',
    "create or replace aggregate function f as 'x' outputtype int": 'CREATE OR REPLACE AGGREGATE FUNCTION',
    "create dnode 'h:1'": 'CREATE DNODE',
    'restore qnode on dnode 1': 'RESTORE QNODE',
    'recalculate stream s from 1': 'RECALCULATE STREAM',
    'alter view v as select 1': 'ALTER VIEW',
  };
  for (const [source, words] of Object.entries(cases)) {
    t.deepEqual(parseStatement(source), { kind: 'unsupported', words }, source);
  }
});

test('refuses administrative statements of the wrong shape', (t) => {
  t.is(faultOf('flush database').code, 0x2601);
  t.is(faultOf('flush table t').message, 'syntax error near "flush table t"');
  t.is(faultOf('kill query 7').code, 0x2600);
  t.is(faultOf('reset query cache now').message, 'syntax error near "now"');
  t.is(faultOf('split vgroup').code, 0x2601);
});
