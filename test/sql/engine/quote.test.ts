import test from 'ava';
import fc from 'fast-check';
import { bytes, float64, int64 } from '../../../src/sql/engine/build.js';
import type { Expr } from '../../../src/sql/engine/nodes.js';
import { printExpr } from '../../../src/sql/engine/print.js';
import { quoteIdentifier, quoteString } from '../../../src/sql/engine/quote.js';
import { releaseSession, takeSession } from '../../support/engine/engine-session.js';

const session = takeSession();
test.after.always(releaseSession);

/** The hex of what the engine makes of a text expression. */
function hexOf(sql: string): string {
  return session.query(`SELECT lower(hex(${sql}))`, 'TabSeparated').trim();
}

/** What the engine makes of expressions. */
function values(...list: readonly Expr[]): string {
  return session.query(`SELECT ${list.map(printExpr).join(', ')}`, 'TabSeparated').trim();
}

const hostile = fc.array(
  fc.constantFrom("'", '\\', '`', '"', '\n', '\0', '\t', '%', ';', '--', '/*', 'a', 'é', '\u{1F600}', '{x:Int8}'),
);

test('strings come back from the engine as they went in', (t) => {
  fc.assert(
    fc.property(
      fc.oneof(
        hostile.map((parts) => parts.join('')),
        fc.string({ unit: 'grapheme' }),
      ),
      (text) => {
        return hexOf(quoteString(text)) === Buffer.from(text).toString('hex');
      },
    ),
    { numRuns: 200 },
  );
  t.pass();
});

test('names come back from the engine as they went in', (t) => {
  fc.assert(
    fc.property(hostile, (parts) => {
      const name = `n${parts.join('')}`;
      const text = session.query(`SELECT 1 AS ${quoteIdentifier(name)}`, 'JSONCompact');
      return JSON.parse(text).meta[0].name === name;
    }),
    { numRuns: 100 },
  );
  t.pass();
});

test('bytes and numbers keep their value', (t) => {
  t.is(hexOf(printExpr(bytes(Uint8Array.of(0, 255, 39, 92)))), '00ff275c');
  t.is(values(int64(-(2n ** 63n)), int64(2n ** 63n - 1n)), '-9223372036854775808\t9223372036854775807');
  t.is(values(float64(1e-7), float64(Number.POSITIVE_INFINITY)), '1e-7\t\\N');
});
