import test from 'ava';
import fc from 'fast-check';
import { ticksPerSecond } from '../../../src/model/schema.js';
import { int64 } from '../../../src/sql/engine/build.js';
import type { Expr } from '../../../src/sql/engine/nodes.js';
import { printExpr } from '../../../src/sql/engine/print.js';
import { expr } from '../../../src/sql/engine/template.js';
import {
  cellNumber,
  cellNumberAt,
  cellStart,
  coveringStarts,
  endOfSpan,
  firstCoveringAt,
  type Grid,
  startOfCell,
  startOfCellAt,
} from '../../../src/sql/values/grid.js';
import { releaseSession, takeSession } from '../../support/engine/engine-session.js';

const session = takeSession();
test.after.always(releaseSession);

const grids: fc.Arbitrary<Grid> = fc.record({
  unit: fc.constantFrom('ticks', 'days', 'months'),
  step: fc.bigInt(1n, 40n),
  shift: fc.bigInt(0n, 100000n),
  phase: fc.bigInt(0n, 5n),
  dayShift: fc.bigInt(0n, 27n),
  precision: fc.constantFrom('ms', 'us', 'ns'),
  zone: fc.constantFrom(
    ...['UTC', 'Asia/Tokyo', 'Asia/Kolkata', 'America/New_York', 'Europe/Paris', 'Africa/Cairo', 'America/Santiago'],
    ...['America/Havana', 'America/Asuncion', 'Asia/Beirut', 'Atlantic/Azores', 'Pacific/Apia'],
  ),
});

/** Seconds from 1971 to 2100: the time in which zones are well known and have whole minutes. */
const seconds = fc.bigInt(31536000n, 4102444800n);

/** What the engine makes of expressions. */
function valuesOf(list: readonly Expr[]): string[] {
  return session
    .query(`SELECT ${list.map(printExpr).join(', ')}`, 'TabSeparated')
    .trim()
    .split('\t');
}

test('the engine and the planner find the same cells', (t) => {
  const property = fc.property(fc.array(fc.tuple(grids, seconds), { minLength: 20, maxLength: 20 }), (pairs) => {
    const expected: string[] = [];
    const asked: Expr[] = [];
    for (const [random, second] of pairs) {
      const grid = random.unit === 'ticks' ? { ...random, phase: 0n } : random;
      const ticks = second * BigInt(ticksPerSecond(grid.precision)) + 123n;
      const number = cellNumberAt(grid, ticks);
      expected.push(String(number), String(startOfCellAt(grid, number)), String(startOfCellAt(grid, number)));
      const literal = int64(ticks);
      asked.push(cellNumber(grid, literal), cellStart(grid, literal), startOfCell(grid, int64(number)));
    }
    t.deepEqual(valuesOf(asked), expected);
  });
  fc.assert(property, { numRuns: 20 });
});

test('a span of one step ends where the next cell begins', (t) => {
  const property = fc.property(fc.array(fc.tuple(grids, seconds), { minLength: 20, maxLength: 20 }), (pairs) => {
    const expected: string[] = [];
    const asked: Expr[] = [];
    for (const [random, second] of pairs) {
      const grid = random.unit === 'ticks' ? { ...random, phase: 0n } : random;
      const ticks = second * BigInt(ticksPerSecond(grid.precision));
      const number = cellNumberAt(grid, ticks);
      expected.push(String(startOfCellAt(grid, number + 1n)));
      asked.push(endOfSpan(grid, cellStart(grid, int64(ticks)), grid.step));
    }
    t.deepEqual(valuesOf(asked), expected);
  });
  fc.assert(property, { numRuns: 20 });
});

test('the oldest span that holds an instant begins with the cell that the planner finds', (t) => {
  const property = fc.property(fc.array(fc.tuple(grids, seconds), { minLength: 20, maxLength: 20 }), (pairs) => {
    const expected: string[] = [];
    const asked: Expr[] = [];
    for (const [random, second] of pairs) {
      const grid = random.unit === 'ticks' ? { ...random, phase: 0n } : random;
      const length = grid.step * 3n + 1n;
      const ticks = second * BigInt(ticksPerSecond(grid.precision));
      expected.push(String(startOfCellAt(grid, firstCoveringAt(grid, ticks, length))));
      asked.push(expr`arrayElement(${coveringStarts(grid, int64(ticks), length)}, -1)`);
    }
    t.deepEqual(valuesOf(asked), expected);
  });
  fc.assert(property, { numRuns: 20 });
});
