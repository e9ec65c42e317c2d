import test from 'ava';
import fc from 'fast-check';
import { float64, int64, quoteBytes, quoteIdentifier, quoteString } from '../../../src/sql/engine/quote.js';
import { releaseSession, takeSession } from '../../support/engine/engine-session.js';

const session = takeSession();
test.after.always(releaseSession);

/** The hex of what the engine makes of a text expression. */
function hexOf(sql: string): string {
  return session.query(`SELECT lower(hex(${sql}))`, 'TabSeparated').trim();
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
  t.is(hexOf(quoteBytes(Uint8Array.of(0, 255, 39, 92))), '00ff275c');
  t.is(
    session.query(`SELECT ${int64(-(2n ** 63n))}, ${int64(2n ** 63n - 1n)}`, 'TabSeparated').trim(),
    '-9223372036854775808\t9223372036854775807',
  );
  t.is(
    session
      .query(`SELECT ${float64(1e-7)} = 1e-7, ${float64(Number.POSITIVE_INFINITY)} IS NULL`, 'TabSeparated')
      .trim(),
    '1\t1',
  );
});
