import test from 'ava';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { FaultError } from '../../../src/model/fault.js';
import { Wire, WireReader } from '../../../src/transforms/wire/protobuf.js';

const { root } = protobuf.parse(`
  syntax = "proto3";
  message Inner { repeated uint64 numbers = 1 [packed = false]; }
  message Outer {
    uint64 wide = 1; int64 signed = 2; double real = 3; float small = 4; fixed64 fixed = 5; bytes raw = 6;
    repeated Inner inners = 7; uint32 far = 536870911; bool flag = 16;
  }`);
const Outer = root.lookupType('Outer');

function refusal(bytes: readonly number[], read: (reader: WireReader) => void = skipAll): string {
  try {
    read(new WireReader(Uint8Array.from(bytes)));
  } catch (error) {
    if (error instanceof FaultError) return error.fault.message;
    throw error;
  }
  return 'taken';
}

function skipAll(reader: WireReader): void {
  while (reader.next()) reader.skip();
}

/** Every number of every inner message, and the rest by field. */
function read(bytes: Uint8Array): { readonly fields: Map<number, bigint>; readonly inner: bigint[] } {
  const reader = new WireReader(bytes);
  const fields = new Map<number, bigint>();
  const inner: bigint[] = [];
  const value = (): bigint => (BigInt(reader.high) << 32n) | BigInt(reader.low);
  while (reader.next()) {
    if (reader.is(7, Wire.bytes)) {
      const outerEnd = reader.end;
      reader.end = reader.enter();
      while (reader.next()) {
        reader.varint();
        inner.push(value());
      }
      reader.end = outerEnd;
    } else if (reader.wire === Wire.varint) {
      reader.varint();
      fields.set(reader.field, value());
    } else reader.skip();
  }
  return { fields, inner };
}

const uint64 = fc.bigInt(0n, 2n ** 64n - 1n);

test('reads what another implementation encodes, and skips the rest', (t) => {
  fc.assert(
    fc.property(
      uint64,
      fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
      fc.nat(),
      fc.uint8Array({ maxLength: 300 }),
      fc.array(fc.array(uint64, { maxLength: 4 }), { maxLength: 4 }),
      (wide, signed, far, raw, inners) => {
        const message = Outer.fromObject({
          wide: String(wide),
          signed: String(signed),
          real: 1.5,
          small: 2,
          fixed: '7',
          raw,
          inners: inners.map((numbers) => ({ numbers: numbers.map(String) })),
          far,
          flag: true,
        });
        const { fields, inner } = read(Outer.encode(message).finish());
        t.is(fields.get(1) ?? 0n, wide);
        t.is(BigInt.asIntN(64, fields.get(2) ?? 0n), signed);
        t.is(fields.get(536870911) ?? 0n, BigInt(far));
        t.is(fields.get(16), 1n);
        t.deepEqual(inner, inners.flat());
      },
    ),
  );
});

test('a number may have spare bytes, up to ten', (t) => {
  const reader = new WireReader(Uint8Array.from([0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]));
  reader.varint();
  t.deepEqual([reader.low, reader.high, reader.at], [1, 0, 10]);
});

test('refuses every way of being malformed, and says where', (t) => {
  t.regex(refusal([0x08]), /a number is cut off at byte 1/);
  t.regex(refusal([0x08, 0xff, 0xff]), /a number is cut off at byte 1/);
  t.regex(refusal([0x08, ...Array.from({ length: 10 }, () => 0xff), 0x01]), /more than ten bytes at byte 1/);
  t.regex(refusal([0x00, 0x00]), /number 0/);
  t.regex(refusal([0x80, 0x80, 0x80, 0x80, 0x80, 0x01]), /field number is out of range/);
  t.regex(refusal([0x0a, 0x02, 0x00]), /longer than its message at byte 1/);
  t.regex(refusal([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]), /longer than its message/);
  t.regex(refusal([0x0a]), /a number is cut off at byte 1/);
  t.regex(refusal([0x09, 1, 2, 3]), /cut off/);
  t.regex(refusal([0x0d, 1, 2]), /cut off/);
  for (const wire of [3, 4, 6, 7]) t.regex(refusal([0x08 | wire]), new RegExp(`wire type ${wire} does not exist`));
  t.regex(
    refusal([0x08, 0x01], (reader) => {
      reader.next();
      reader.is(1, Wire.bytes);
    }),
    /field 1 has wire type 0 instead of 2 at byte 1/,
  );
});

test('never reads past the end of an inner message', (t) => {
  // An inner message of one byte whose varint goes on behind it.
  t.regex(
    refusal([0x0a, 0x02, 0x08, 0x80, 0x01], (reader) => {
      reader.next();
      reader.end = reader.enter();
      skipAll(reader);
    }),
    /cut off at byte 3/,
  );
});

test('any bytes are read to their end or refused', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const said = refusal([...bytes]);
      t.true(said === 'taken' || said.startsWith('the body is not a valid protobuf message: '));
    }),
    { numRuns: 1500 },
  );
});
