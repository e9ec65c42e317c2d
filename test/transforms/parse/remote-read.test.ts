import test from 'ava';
import fc from 'fast-check';
import { FaultError } from '../../../src/model/fault.js';
import { parseRemoteRead } from '../../../src/transforms/parse/remote-read.js';
import {
  encode,
  Matcher,
  packed,
  readBody,
  recordings,
  type TestQuery,
} from '../../support/messages/remote-messages.js';

const kinds = { EQ: 'equal', NEQ: 'not-equal', RE: 'match', NRE: 'not-match' } as const;

function refusal(body: Uint8Array): string {
  try {
    parseRemoteRead(body, 1e6);
  } catch (error) {
    if (error instanceof FaultError) return error.fault.message;
    throw error;
  }
  return 'taken';
}

for (const { name, body, queries } of recordings('ReadRequest')) {
  test(`reads what ${name} recorded`, (t) => {
    t.deepEqual(
      parseRemoteRead(body, 1e6),
      queries.map(({ matchers, start_timestamp_ms, end_timestamp_ms }) => ({
        startMs: BigInt(start_timestamp_ms),
        endMs: BigInt(end_timestamp_ms),
        matchers: matchers.map((matcher) => ({ kind: kinds[matcher.type], name: matcher.name, value: matcher.value })),
      })),
    );
  });
}

test('whatever another implementation encodes is read as it is, hints and unknown fields skipped', (t) => {
  const text = fc.string({ unit: 'grapheme', maxLength: 10 });
  const matcher = fc.record({
    type: fc.constantFrom(0, 1, 2, 3),
    name: text.filter((name) => name !== ''),
    value: text,
  });
  const int64 = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
  fc.assert(
    fc.property(fc.array(fc.tuple(int64, int64, fc.array(matcher, { maxLength: 4 })), { maxLength: 4 }), (list) => {
      const queries = list.map(
        ([start, end, matchers]): TestQuery => ({
          start_timestamp_ms: String(start),
          end_timestamp_ms: String(end),
          matchers,
          hints: { step_ms: '15000', func: 'rate', grouping: ['a'], by: true },
        }),
      );
      t.deepEqual(
        parseRemoteRead(readBody(queries, [0]), 1e6),
        list.map(([startMs, endMs, matchers]) => ({
          startMs,
          endMs,
          matchers: matchers.map(({ type, name, value }) => ({ kind: Object.values(kinds)[type], name, value })),
        })),
      );
    }),
  );
});

test('only answers with samples are given, in whatever way they are accepted', (t) => {
  const accepting = (...types: number[]) => refusal(readBody([], types));
  t.is(accepting(), 'taken');
  t.is(accepting(0), 'taken');
  t.is(accepting(1, 0), 'taken');
  t.regex(accepting(1), /none of the accepted response types/);
  t.is(refusal(packed(Buffer.from([0x10, 1, 0x10, 0]))), 'taken', 'one by one');
  t.regex(refusal(packed(Buffer.from([0x10, 1]))), /none of the accepted response types/);
});

test('refuses what cannot be asked', (t) => {
  const matching = (matcher: object) => refusal(packed(encode('ReadRequest', { queries: [{ matchers: [matcher] }] })));
  t.is(matching({ type: Matcher.NRE, name: 'a', value: '' }), 'taken');
  t.is(matching({ type: 4, name: 'a' }), 'not support match type 4');
  t.is(matching({ type: -1, name: 'a' }), 'not support match type -1');
  t.is(matching({ name: '', value: 'x' }), 'a matcher has no label name');
  const many = (queries: number, matchers: number) =>
    refusal(
      readBody(
        Array.from({ length: queries }, () => ({
          start_timestamp_ms: 0,
          end_timestamp_ms: 1,
          matchers: Array.from({ length: matchers }, () => ({ type: 0, name: 'a', value: 'b' })),
        })),
      ),
    );
  t.is(many(100, 2), 'taken');
  t.regex(many(101, 0), /more than 100 queries/);
  t.is(many(1, 1000), 'taken');
  t.regex(many(1, 1001), /more than 1000 matchers/);
  // A label name that is not UTF-8.
  t.regex(refusal(packed(Buffer.from([0x0a, 5, 0x1a, 3, 0x12, 1, 0xff]))), /not well-formed UTF-8/);
  t.regex(refusal(Buffer.from('x')), /not valid snappy data/);
});
