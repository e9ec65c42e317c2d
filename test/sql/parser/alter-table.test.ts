import test from 'ava';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { bare, faultOf, shapeOf } from '../../support/sql/syntax.js';

const table = { database: bare('d'), name: bare('t') };
const int = { name: 'INT', length: undefined, scale: undefined };

test('reads every action on a table', (t) => {
  const actions: Record<string, object> = {
    'add column c int': { kind: 'add-column', name: bare('c'), type: int },
    "add column c int encode 'simple8b' compress 'lz4'": {
      kind: 'add-column',
      name: bare('c'),
      type: int,
      encoding: { encode: 'simple8b', compress: 'lz4' },
    },
    'add tag c int': { kind: 'add-tag', name: bare('c'), type: int },
    'drop column c': { kind: 'drop-column', name: bare('c') },
    'drop tag c': { kind: 'drop-tag', name: bare('c') },
    'modify column c binary(20)': {
      kind: 'modify-column',
      name: bare('c'),
      type: { name: 'VARCHAR', length: 20, scale: undefined },
    },
    'modify tag c int': { kind: 'modify-tag', name: bare('c'), type: int },
    'rename column a b': { kind: 'rename-column', from: bare('a'), to: bare('b') },
    'rename tag a b': { kind: 'rename-tag', from: bare('a'), to: bare('b') },
    "comment 'hi'": { kind: 'comment', text: 'hi' },
    'ttl 5': { kind: 'ttl', days: 5 },
    'keep 30d': { kind: 'keep', text: '30d' },
  };
  for (const [source, action] of Object.entries(actions)) {
    t.deepEqual(shapeOf(parseStatement(`alter table D.T ${source}`)), {
      kind: 'alter-table',
      stable: false,
      table,
      action,
    });
    t.deepEqual(shapeOf(parseStatement(`ALTER STABLE d.t ${source};`)), {
      kind: 'alter-table',
      stable: true,
      table,
      action,
    });
  }
});

test('tells a change of encoding from a change of type', (t) => {
  t.deepEqual(shapeOf(parseStatement("alter table d.t modify column c encode 'delta-i' level 'high'")), {
    kind: 'alter-table',
    stable: false,
    table: { database: bare('d'), name: bare('t') },
    action: { kind: 'encode-column', name: bare('c'), encoding: { encode: 'delta-i', level: 'high' } },
  });
});

test('reads tags of one or more sub-tables, and of those that meet a condition', (t) => {
  const integer = (value: bigint) => ({ kind: 'integer', value });
  const a = { name: bare('a'), value: integer(-1n) };
  const b = { name: bare('b'), value: { kind: 'string', value: 'x' } };
  const other = { table: { database: undefined, name: bare('u') }, tags: [a] };
  const read = (text: string): unknown => shapeOf(parseStatement(text));
  const stable = false;
  const tables = [{ table, tags: [a, b] }];
  t.deepEqual(read("alter table D.T set tag a = -1, b='x'"), { kind: 'set-tags', stable, tables });
  const both = [...tables, other];
  t.deepEqual(read("alter table d.t set tag a=-1, b='x' u set tag a=-1"), { kind: 'set-tags', stable, tables: both });
  const using = { kind: 'set-tags-using', table, tags: [a], where: undefined };
  t.deepEqual(read('alter table using d.t set tag a = -1'), using);
  const where = {
    kind: 'binary',
    operator: '=',
    left: { kind: 'column', table: undefined, name: bare('b') },
    right: integer(2n),
  };
  t.deepEqual(read('alter table using d.t set tag a = -1 where b = 2'), { ...using, where });
});

test('refuses unknown actions and missing parts', (t) => {
  t.is(faultOf('alter table t frob column c').message, 'syntax error near "frob column c"');
  t.is(faultOf('alter table t add c int').code, 0x2600);
  t.is(faultOf('alter table t add column c').code, 0x2601);
  t.is(faultOf('alter table t add column c varchar').code, 0x2601);
  t.is(faultOf('alter table t set tag a').code, 0x2601);
  t.is(faultOf('alter table t').code, 0x2601);
});
