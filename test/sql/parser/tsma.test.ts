import test from 'ava';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { bare, faultOf, shapeOf } from '../../support/sql/syntax.js';

const table = { database: bare('d'), name: bare('m') };

test('reads CREATE TSMA', (t) => {
  t.like(shapeOf(parseStatement('create tsma x on d.m function(avg(a), count(*)) interval(10m) sliding(5m)')), {
    kind: 'create-tsma',
    index: false,
    recursive: false,
    tsma: { database: undefined, name: bare('x') },
    table,
    functionTexts: ['avg(a)', 'count(*)'],
    interval: { count: 10, unit: 'm' },
    sliding: { count: 5, unit: 'm' },
  });
  t.like(shapeOf(parseStatement('create recursive tsma y on d.x interval(1h)')), {
    recursive: true,
    functions: [],
    interval: { count: 1, unit: 'h' },
    sliding: undefined,
  });
});

test('reads the older form with everything that may follow', (t) => {
  const text =
    'CREATE sma INDEX x ON d.m function(max(v)) INTERVAL (1m, 10s) SLIDING (30s) watermark 5s max_delay 1m delete_mark 1d';
  t.like(shapeOf(parseStatement(text)), {
    kind: 'create-tsma',
    index: true,
    table,
    functionTexts: ['max(v)'],
    interval: { count: 1, unit: 'm' },
    offset: { count: 10, unit: 's' },
    sliding: { count: 30, unit: 's' },
  });
});

test('reads DROP TSMA and DROP INDEX', (t) => {
  const tsma = { database: bare('d'), name: bare('x') };
  t.deepEqual(shapeOf(parseStatement('drop tsma if exists d.x')), {
    kind: 'drop-tsma',
    index: false,
    tsma,
    ifExists: true,
  });
  t.deepEqual(shapeOf(parseStatement('drop index d.x')), { kind: 'drop-tsma', index: true, tsma, ifExists: false });
});

test('refuses TSMAs of the wrong shape', (t) => {
  t.is(faultOf('create sma index x on t interval(1m)').message, 'syntax error near "interval(1m)"');
  t.is(faultOf('create tsma x on t function(avg(a))').code, 0x2601);
  t.is(
    faultOf('create tsma x on t function(avg(a)) interval(1m) fill(prev)').message,
    'syntax error near "fill(prev)"',
  );
});
