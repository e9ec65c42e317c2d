import test from 'ava';
import { paceOf, splitTables, type Turn, turnsOf } from '../../../src/load/rows/plan.js';

/** Requests as `first table-last table:first row+rows`, `|` behind those that end a round. */
function shown(turns: Iterable<Turn>): string[] {
  return Array.from(turns, ({ from, to, firstRow, rows, endsRound }) => {
    return `${from}-${to - 1}:${firstRow}+${rows}${endsRound ? '|' : ''}`;
  });
}

/** The requests of one thread over tables [0, tables) of so many rows. */
function turns(tables: number, rows: number, rowsPerRequest: number, interlaceRows: number): string[] {
  const pace = paceOf({ rowsPerRequest, interlaceRows }, rows);
  return shown(turnsOf({ from: 0, to: tables }, pace, () => rows, false));
}

test('tables are dealt out in contiguous ranges, the first of which get one more', (t) => {
  t.deepEqual(splitTables({ from: 0, to: 10 }, 4), [
    { from: 0, to: 3 },
    { from: 3, to: 6 },
    { from: 6, to: 8 },
    { from: 8, to: 10 },
  ]);
  t.deepEqual(splitTables({ from: 5, to: 9 }, 2), [
    { from: 5, to: 7 },
    { from: 7, to: 9 },
  ]);
});

test('there are never more threads than tables', (t) => {
  t.is(splitTables({ from: 0, to: 5 }, 16).length, 5);
  t.deepEqual(splitTables({ from: 3, to: 3 }, 16), []);
});

test('a progressive request never spans two tables', (t) => {
  t.deepEqual(turns(2, 10, 4, 0), ['0-0:0+4', '0-0:4+4', '0-0:8+2', '1-1:0+4', '1-1:4+4', '1-1:8+2']);
  t.is(turns(10, 5, 30_000, 0).length, 10);
});

test('a round of interlaced rows is cut where the tables of the thread end', (t) => {
  t.deepEqual(turns(3, 10, 8, 4), ['0-1:0+4', '2-2:0+4|', '0-1:4+4', '2-2:4+4|', '0-1:8+2', '2-2:8+2|']);
});

test('the last round takes what is left', (t) => {
  t.deepEqual(turns(1, 7, 30_000, 3), ['0-0:0+3|', '0-0:3+3|', '0-0:6+1|']);
});

test('interlace rows above the rows of a request are lowered to them, with a note', (t) => {
  const pace = paceOf({ rowsPerRequest: 1, interlaceRows: 2 }, 3);
  t.is(pace.interlaceRows, 1);
  t.is(pace.notes.length, 1);
  t.is(turns(3, 3, 1, 2).filter((turn) => turn.endsWith('|')).length, 3);
});

test('interlace rows above the rows of a table mean one table after the other, with a note', (t) => {
  const pace = paceOf({ rowsPerRequest: 30_000, interlaceRows: 151 }, 150);
  t.is(pace.interlaceRows, 0);
  t.true(pace.notes[0]?.includes('151'));
  t.deepEqual(turns(2, 150, 30_000, 151), ['0-0:0+150', '1-1:0+150']);
});

test('an endless progressive run goes over all tables again and again, its rows growing', (t) => {
  const pace = paceOf({ rowsPerRequest: 2, interlaceRows: 0 }, 3);
  const endless = turnsOf({ from: 0, to: 2 }, pace, () => 3, true);
  const first = Array.from({ length: 6 }, () => endless.next().value).filter((turn) => turn !== undefined);
  t.deepEqual(shown(first), ['0-0:0+2', '0-0:2+1', '1-1:0+2', '1-1:2+1', '0-0:3+2', '0-0:5+1']);
});

test('an endless interlaced run has rounds without end', (t) => {
  const pace = paceOf({ rowsPerRequest: 10, interlaceRows: 1 }, 1);
  const endless = turnsOf({ from: 0, to: 2 }, pace, () => 1, true);
  const first = Array.from({ length: 3 }, () => endless.next().value).filter((turn) => turn !== undefined);
  t.deepEqual(shown(first), ['0-1:0+1|', '0-1:1+1|', '0-1:2+1|']);
});

test('tables without rows, and no tables, make no requests', (t) => {
  t.deepEqual(turns(3, 0, 10, 0), []);
  t.deepEqual(turns(0, 3, 10, 0), []);
});
