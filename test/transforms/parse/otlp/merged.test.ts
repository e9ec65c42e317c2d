import test from 'ava';
import { parseOtlp } from '../../../../src/transforms/parse/otlp/otlp.js';
import { MessageWriter } from '../../../../src/transforms/wire/message-writer.js';
import { readOtlp } from '../../../support/messages/otlp-reading.js';

const nanos = '1700000000123456789';

type Write = (writer: MessageWriter) => void;

/** Writes a message in a field. */
const within = (field: number, ...members: readonly Write[]): Write => {
  return (writer) => {
    const start = writer.begin(field);
    for (const write of members) write(writer);
    writer.end(start);
  };
};
const text =
  (field: number, value: string): Write =>
  (writer) =>
    writer.bytes(field, Buffer.from(value));
const number =
  (field: number, value: bigint): Write =>
  (writer) =>
    writer.varint(field, value);
const attribute = (field: number, key: string, ...values: readonly Write[]) => within(field, text(1, key), ...values);
const string = (value: string) => within(2, text(1, value));
const point = (value: number, ...more: readonly Write[]) =>
  within(
    1,
    (w) => w.fixed64(3, BigInt(nanos)),
    (w) => w.double(4, value),
    ...more,
  );

/** The rows of a request with one resource of these fields. */
function rowsOf(...members: readonly Write[]): readonly string[] {
  const writer = new MessageWriter();
  within(1, ...members)(writer);
  return readOtlp(parseOtlp, Buffer.from(writer.finish()));
}

const metrics = (...members: readonly Write[]) => within(2, within(2, text(1, 'm'), ...members));

test('a resource and a scope that are written in parts are merged', (t) => {
  const resource = (name: string) => within(1, attribute(1, name, string('r')));
  const scope = (...members: readonly Write[]) => within(1, ...members);
  const gauge = within(2, text(1, 'm'), within(5, point(1)));
  t.deepEqual(
    rowsOf(
      resource('a'),
      within(2, scope(text(1, 'lib')), gauge, scope(attribute(3, 'x', string('s')))),
      resource('b'),
    ),
    [`m{"a":"r","b":"r","otel_scope_name":"lib","otel_scope_x":"s"} gauge=1 ${nanos}`],
  );
});

test('data of a metric that are written in parts are merged, and of two kinds the last one counts', (t) => {
  const other = attribute(7, 'k', string('v'));
  t.deepEqual(rowsOf(metrics(within(5, point(1)), within(5, point(2, other)))), [
    `m{} gauge=1 ${nanos}`,
    `m{"k":"v"} gauge=2 ${nanos}`,
  ]);
  t.deepEqual(rowsOf(metrics(within(7, point(1)), within(7, number(2, 2n), number(3, 1n)))), [
    `m{} counter=1 ${nanos}`,
  ]);
  t.deepEqual(rowsOf(metrics(within(5, point(1)), within(7, point(2)), within(5, point(3)))), [`m{} gauge=3 ${nanos}`]);
});

test('a value of an attribute that is written in parts is merged, and of two kinds the last one counts', (t) => {
  const list = (value: string) => within(2, within(5, within(1, text(1, value))));
  const map = (key: string) => within(2, within(6, attribute(1, key, string('v'))));
  const rows = rowsOf(
    metrics(
      within(
        5,
        point(
          1,
          attribute(7, 'a', list('x'), list('y')),
          attribute(7, 'b', map('x'), map('y')),
          attribute(7, 'c', string('x'), list('y')),
          attribute(7, 'd', string('x'), within(2)),
        ),
      ),
    ),
  );
  const tags = { a: '["x","y"]', b: '{"x":"v","y":"v"}', c: '["y"]', d: 'x' };
  t.deepEqual(rows, [`m${JSON.stringify(tags)} gauge=1 ${nanos}`]);
});

test('both sides of an exponential histogram that are written in parts are merged', (t) => {
  const side = (field: number, ...members: readonly Write[]) => within(field, ...members);
  const buckets = within(
    1,
    (w) => w.fixed64(3, BigInt(nanos)),
    side(8, number(2, 1n)),
    side(8, number(1, 4n), number(2, 2n)),
    side(9, number(1, 2n)),
    side(9, number(2, 3n)),
  );
  const [row = ''] = rowsOf(metrics(within(10, number(2, 2n), buckets)));
  t.regex(row, /positive_offset=2 positive_counts="?\[1,2\]"?/);
  t.regex(row, /negative_offset=1 negative_counts="?\[3\]"?/);
});
