import test from 'ava';
import { Codes } from '../../../../src/model/fault.js';
import { metersFixture } from '../../../support/sql/meters.js';

const fixture = metersFixture();
/** States at ticks 0 to 8, and what an event looks at. */
fixture.normalTable(
  'm',
  'st',
  ['s INT', 'b BOOL', 'x VARCHAR(4)', 'd DOUBLE'],
  [
    [0, null, 'false', null, 1],
    [1, 1, 'true', "'a'", 2],
    [2, null, 'false', "'a'", 3],
    [3, 1, 'false', "'b'", 4],
    [4, null, 'true', "'b'", 5],
    [5, 2, 'true', null, 6],
    [6, 2, 'false', "'b'", 7],
    [7, 1, null, "'c'", 8],
    [8, null, 'true', "'c'", 9],
  ],
);
fixture.normalTable(
  'm',
  'ev',
  ['f1 INT', 'f3 BOOL'],
  [
    [10, 0, 'false'],
    [20, 1, 'true'],
    [30, 5, 'false'],
    [40, 3, 'false'],
    [50, 0, 'false'],
    [60, 2, 'true'],
  ],
);
test.after.always(() => fixture.close());

function answers(title: string, sql: string, lines: readonly string[]): void {
  test(title, (t) => {
    t.deepEqual(fixture.rows(sql), [...lines]);
  });
}

const limits = 'CAST(_wstart AS BIGINT), CAST(_wend AS BIGINT), _wduration';

answers(
  'a session ends where the next row is more than the gap away',
  `SELECT ${limits}, count(*) FROM ev SESSION(ts, 10a)`,
  ['[10,60,50,6]'],
);
answers('one tick less makes every row a session', `SELECT ${limits}, count(*) FROM ev SESSION(ts, 9)`, [
  '[10,10,0,1]',
  '[20,20,0,1]',
  '[30,30,0,1]',
  '[40,40,0,1]',
  '[50,50,0,1]',
  '[60,60,0,1]',
]);
answers(
  'a state takes in the NULL rows that it surrounds',
  `SELECT ${limits}, count(*), count(s) FROM st STATE_WINDOW(s)`,
  ['[0,3,3,4,2]', '[5,6,1,2,2]', '[7,8,1,2,1]'],
);
answers('texts and truths are states', `SELECT ${limits}, count(*) FROM st STATE_WINDOW(x)`, [
  '[0,2,2,3]',
  '[3,6,3,4]',
  '[7,8,1,2]',
]);
answers(
  'a state may be computed',
  'SELECT _wduration, sum(d) FROM st STATE_WINDOW(CASE WHEN d < 4 THEN 0 ELSE 1 END)',
  ['[2,6]', '[5,39]'],
);
answers('short states are left out', 'SELECT count(*) FROM st STATE_WINDOW(s) TRUE_FOR(2a)', ['[4]']);
answers(
  'an event runs from start to end',
  `SELECT ${limits}, count(*) FROM ev EVENT_WINDOW START WITH f1 >= 0 END WITH f3 = true`,
  ['[10,20,10,2]', '[30,60,30,4]'],
);
answers(
  'rows outside of events do not count',
  `SELECT ${limits}, sum(f1) FROM ev EVENT_WINDOW START WITH f1 >= 3 END WITH f1 < 3`,
  ['[30,50,20,8]'],
);
answers('every so many rows are a window', `SELECT ${limits}, count(*) FROM ev COUNT_WINDOW(4)`, [
  '[10,40,30,4]',
  '[50,60,10,2]',
]);
answers('windows of rows slide', `SELECT ${limits}, count(*) FROM ev COUNT_WINDOW(4, 2)`, [
  '[10,40,30,4]',
  '[30,60,30,4]',
  '[50,60,10,2]',
]);
answers('only rows with a value count', `SELECT ${limits}, count(*) FROM st COUNT_WINDOW(2, s)`, [
  '[1,3,2,2]',
  '[5,6,1,2]',
  '[7,7,0,1]',
]);
answers(
  'slices have windows of their own',
  'SELECT tbname, location, count(*), last(voltage) FROM meters PARTITION BY tbname COUNT_WINDOW(4)',
  [
    '["d1","north",4,230]',
    '["d1","north",2,250]',
    '["d2","north",4,231]',
    '["d2","north",2,251]',
    '["d3","south",4,232]',
    '["d3","south",2,252]',
  ],
);
answers(
  'sub-tables are merged in the order of time',
  `SELECT _wstart, count(*), first(voltage), last(voltage) FROM meters SESSION(ts, 5s) LIMIT 2`,
  ['["2023-11-14T22:13:20.000Z",3,200,202]', '["2023-11-14T22:13:30.000Z",3,210,212]'],
);

for (const [title, clause, code] of [
  ['sessions over another column', 'SESSION(s, 1s)', Codes.sessionColumn],
  ['sessions of no length', 'SESSION(ts, 0s)', Codes.sessionGap],
  ['sessions of months', 'SESSION(ts, 1n)', Codes.sessionGap],
  ['states of fractions', 'STATE_WINDOW(d)', Codes.stateType],
  ['states of times', 'STATE_WINDOW(ts)', Codes.stateType],
  ['states that do not depend on rows', 'STATE_WINDOW(1)', Codes.stateType],
  ['states that reach in an unknown way', 'STATE_WINDOW(s, 3)', Codes.functionParameterValue],
  ['windows of no rows', 'COUNT_WINDOW(0)', Codes.functionParameterValue],
  ['windows that slide beyond their end', 'COUNT_WINDOW(2, 3)', Codes.slidingTooLarge],
  ['aggregates that make windows', 'EVENT_WINDOW START WITH sum(s) > 1 END WITH s > 1', Codes.functionMixed],
] as const) {
  test(`refuses ${title}`, (t) => {
    t.is(fixture.refusal(`SELECT count(*) FROM st ${clause}`), code);
  });
}
