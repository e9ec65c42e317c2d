import test from 'ava';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { bare, faultOf, quoted, shapeOf } from '../../support/sql/syntax.js';

const query = 'select _wstart, count(*) from d.m partition by tbname t interval(10s)';

test('reads CREATE STREAM with nothing but what it must have', (t) => {
  const statement = parseStatement(`create stream s into o as ${query};`);
  t.like(shapeOf(statement), {
    kind: 'create-stream',
    name: bare('s'),
    ifNotExists: false,
    options: { trigger: { kind: 'at-once' }, watermark: undefined, ignoreExpired: false, fillHistory: false },
    target: { database: undefined, name: bare('o') },
    columns: undefined,
    tags: undefined,
    subTable: undefined,
    text: query,
  });
});

test('reads every part of CREATE STREAM, its options in any order', (t) => {
  const statement = parseStatement(
    `CREATE STREAM IF NOT EXISTS s WATERMARK 5s TRIGGER WINDOW_CLOSE FILL_HISTORY 1 IGNORE UPDATE 0 IGNORE EXPIRED 1
      DELETE_MARK 10d INTO \`O\`.out (ts, n) TAGS (t VARCHAR(20), g) SUBTABLE (concat('x_', t)) AS ${query}`,
  );
  t.like(shapeOf(statement), {
    ifNotExists: true,
    options: {
      trigger: { kind: 'window-close' },
      watermark: { count: 5, unit: 's' },
      ignoreExpired: true,
      fillHistory: true,
    },
    target: { database: quoted('O'), name: bare('out') },
    columns: [bare('ts'), bare('n')],
    tags: [
      { name: bare('t'), type: { name: 'VARCHAR', length: 20, scale: undefined } },
      { name: bare('g'), type: undefined },
    ],
    subTable: { kind: 'call', name: 'CONCAT' },
  });
});

test('reads the delay of MAX_DELAY', (t) => {
  const statement = shapeOf(parseStatement(`create stream s trigger max_delay 5s into o as ${query}`));
  t.like(statement, { options: { trigger: { kind: 'max-delay', delay: { count: 5, unit: 's' } } } });
});

test('reads DROP, PAUSE and RESUME, and STOP and START as the same', (t) => {
  const named = { name: bare('s') };
  t.deepEqual(shapeOf(parseStatement('drop stream if exists s')), { kind: 'drop-stream', ...named, ifExists: true });
  t.deepEqual(shapeOf(parseStatement('drop stream s')), { kind: 'drop-stream', ...named, ifExists: false });
  for (const [text, paused] of [
    ['pause', true],
    ['stop', true],
    ['resume', false],
    ['start', false],
  ] as const) {
    const expected = { kind: 'switch-stream', ...named, ifExists: false, paused };
    t.deepEqual(shapeOf(parseStatement(`${text} stream s`)), expected, text);
  }
  t.like(parseStatement('pause stream if exists s'), { ifExists: true });
});

test('refuses what is another form of the statement by name', (t) => {
  for (const text of [
    'create stream s interval(10s) sliding(10s) from d.m into o as select 1',
    'create stream d.s period(10s) into o as select 1',
    'create stream s trigger force_window_close into o as select 1',
    'create stream s into o (ts, k primary key) as select 1',
    'resume stream s ignore untreated',
  ]) {
    t.is(faultOf(text).code, 0x0100, text);
  }
});

test('refuses CREATE STREAM of the wrong shape', (t) => {
  t.is(faultOf('create stream').code, 0x2601);
  t.is(faultOf('create stream s as select 1').message, 'syntax error near "as select 1"');
  t.is(faultOf('create stream s into o').code, 0x2601);
  t.is(
    faultOf('create stream s ignore expired 2 into o as select 1').message,
    'syntax error near "2 into o as select 1"',
  );
  t.is(faultOf('create stream s watermark 5 into o as select 1').code, 0x2600);
  t.is(faultOf(`create stream ${'s'.repeat(193)} into o as select 1`).code, 0x2617);
});
