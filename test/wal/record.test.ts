import test from 'ava';
import fc from 'fast-check';
import {
  decodeRecord,
  encodeGroup,
  encodePayloadHead,
  findRecord,
  type GroupBegun,
  type GroupEnded,
  type LoggedPayload,
} from '../../src/wal/record.js';

const name = fc.string({ unit: 'grapheme', maxLength: 60 });
const sequence = fc.integer({ min: 1, max: 2 ** 48 - 1 });

/** Any text that an input may hand over. */
const anyText: fc.Arbitrary<LoggedPayload> = fc.record({
  sequence,
  origin: name,
  format: fc.constantFrom(
    'lineproto',
    'remote-write',
    'tsdbwire-json',
    'agentd',
    'exposition',
    'sql-insert',
    'otlp-json',
  ),
  database: name,
  user: name,
  createDatabase: fc.boolean(),
  ttl: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  precision: fc.constantFrom('ns', 'us', 'ms', 's', 'm', 'h'),
  part: fc.option(fc.record({ first: fc.boolean(), last: fc.boolean() }), { nil: undefined }),
  isWithin: fc.constant(true),
  receivedMicros: fc.bigInt({ min: 0n, max: 2n ** 60n }),
  nowNs: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  zone: name,
  rejectedRows: fc.option(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 2 ** 32 - 1 })), { nil: undefined }),
  bytes: fc.uint8Array({ maxLength: 300 }),
});

const anyMembers = fc.array(
  fc.record({
    database: name,
    table: name,
    sequences: fc.uniqueArray(sequence, { maxLength: 20 }).map((list) => list.toSorted((a, b) => a - b)),
  }),
  { maxLength: 5 },
);

function bytesOf(text: LoggedPayload): Buffer {
  return Buffer.concat([encodePayloadHead(text.sequence, text), text.bytes]);
}

function read(bytes: Buffer) {
  const record = findRecord(bytes, 0);
  return typeof record === 'object' ? decodeRecord(record.body) : record;
}

test('a text is read as it was written', (t) => {
  fc.assert(
    fc.property(anyText, (text) => {
      const record = read(bytesOf(text));
      if (typeof record !== 'object' || record.kind !== 'text') return false;
      t.deepEqual({ ...record.text, bytes: [...record.text.bytes] }, { ...text, bytes: [...text.bytes] });
      return true;
    }),
  );
});

test('the notes of groups are read as they were written', (t) => {
  fc.assert(
    fc.property(sequence, anyMembers, fc.boolean(), (group, members, isWhole) => {
      const begun: GroupBegun = { kind: 'begun', group, members };
      const ended: GroupEnded = { kind: 'ended', group, members: isWhole ? 'all' : members };
      t.deepEqual(read(encodeGroup(begun)), begun);
      t.deepEqual(read(encodeGroup(ended)), ended);
    }),
  );
});

test('a record that is cut off is not whole, and one of which a bit has changed is none', (t) => {
  fc.assert(
    fc.property(anyText, fc.nat(), fc.nat({ max: 7 }), (text, place, bit) => {
      const bytes = bytesOf(text);
      t.is(findRecord(bytes.subarray(0, place % bytes.length), 0), 'short');
      const spoilt = Buffer.from(bytes);
      spoilt[place % bytes.length]! ^= 1 << bit;
      t.is(typeof findRecord(spoilt, 0), 'string');
    }),
  );
});
