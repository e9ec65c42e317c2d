import test from 'ava';
import fc from 'fast-check';
import { type ExpositionForm, expositionHead } from '../../../../src/model/exposition-head.js';
import { FaultError } from '../../../../src/model/fault.js';
import { parseExposition } from '../../../../src/transforms/parse/exposition/exposition.js';
import { cutExposition } from '../../../../src/transforms/parse/exposition/pieces.js';
import type { PieceLimits } from '../../../../src/transforms/wire/message-pieces.js';
import { familiesOf } from '../../../support/messages/exposition-messages.js';
import { LineProtocolDesk } from '../../../support/messages/line-protocol.js';
import { propertyRuns } from '../../../support/property-seed.js';

const labels = new Map([['job', 'cut']]);

/** Pieces of so many lines or metrics, however long. */
function ofRows(rows: number): PieceLimits {
  return { rows, bytes: Number.POSITIVE_INFINITY, rowBytes: Number.POSITIVE_INFINITY };
}

function withHead(form: ExpositionForm, body: string | Uint8Array): Buffer {
  return Buffer.concat([expositionHead(form, labels), Buffer.from(body)]);
}

/** Rows and rejected lines of pushes that are read one after the other; lines are counted over all of them. */
function read(
  pushes: readonly { readonly bytes: Uint8Array; readonly rows: number; readonly repeatedRows?: number }[],
) {
  const desk = new LineProtocolDesk();
  let lines = 0;
  const readings = pushes.map(({ bytes, rows, repeatedRows = 0 }) => {
    const parsed = parseExposition(bytes, desk.options());
    const first = lines - repeatedRows;
    lines += rows;
    return {
      rows: desk.rows(parsed),
      rejects: parsed.rejects.map(({ row, fault }) => [first + row, fault.message]),
      rejected: parsed.rejectedRows,
    };
  });
  return {
    // Those of a series in their order; series come table by table.
    rows: readings
      .flatMap(({ rows }) => rows)
      .sort((a, b) => Number(a.subTable > b.subTable) - Number(a.subTable < b.subTable)),
    rejects: readings.flatMap(({ rejects }) => rejects),
    rejected: readings.reduce((sum, { rejected }) => sum + rejected, 0),
  };
}

/** The samples of one point, of each type, or what is none. */
const lines = fc.oneof(
  fc.constantFrom('', '  ', '# HELP a text', '# a comment', 'bad {', '# EOF', '# TYPE a nonsense'),
  fc
    .record({
      name: fc.constantFrom('a', 'b_total', 'c', '"d.e"', 'c_sum'),
      type: fc.constantFrom('gauge', 'counter', 'histogram', 'summary'),
    })
    .map(({ name, type }) => `# TYPE ${name} ${type}`),
  fc
    .record({ name: fc.constantFrom('a', 'b_total', 'a_created'), host: fc.nat(3), value: fc.nat(9) })
    .map(({ name, host, value }) => `${name}{host="${host}"} ${value}`),
  fc.nat(3).map((host) => `{"d.e",host="${host}"} 1`),
  fc
    .record({ name: fc.constantFrom('a', 'c'), host: fc.nat(3), bounds: fc.uniqueArray(fc.nat(5), { maxLength: 4 }) })
    .map(({ name, host, bounds }) =>
      [
        ...bounds.map((bound) => `${name}_bucket{le="${bound}",host="${host}"} 1`),
        `${name}_sum{host="${host}"} 5`,
        `${name}_count{host="${host}"} ${bounds.length}`,
      ].join('\n'),
    ),
);

test('pieces of a text say what the text says, each point whole, with the types that they need', (t) => {
  let cuts = 0;
  fc.assert(
    fc.property(
      fc.array(lines, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 8 }),
      fc.constantFrom('text', 'openmetrics'),
      fc.boolean(),
      (text, maxRows, form, isEnded) => {
        const whole = withHead(form, text.join('\n') + (isEnded ? '\n# EOF\n' : ''));
        const pieces = [...(cutExposition(whole, 0, ofRows(maxRows)) ?? [])];
        cuts += pieces.length - 1;
        const expected = read([{ bytes: whole, rows: 0 }]);
        // Text that is next to all bad is not read to its end.
        if (expected.rejected < 16) t.deepEqual(read(pieces), expected);
      },
    ),
    { numRuns: propertyRuns(300) },
  );
  t.true(cuts > 300);
});

test('pieces repeat only the types of names that they have', (t) => {
  const types = Array.from({ length: 50 }, (_, at) => `# TYPE m${at} gauge\n`).join('');
  const samples = Array.from({ length: 100 }, (_, at) => `m7{i="${at}"} 1\n`).join('');
  const pieces = [...(cutExposition(withHead('text', types + samples), 0, ofRows(60)) ?? [])];
  t.deepEqual(
    pieces.map(({ rows, repeatedRows }) => [rows, repeatedRows]),
    [
      [60, 0],
      [60, 1],
      [30, 1],
    ],
  );
});

test('delimited messages are cut between families and within long ones', (t) => {
  const family = (name: string, count: number) => ({
    name,
    type: 1,
    metric: Array.from({ length: count }, (_, at) => ({
      label: [{ name: 'i', value: `${at}` }],
      gauge: { value: at },
    })),
  });
  fc.assert(
    fc.property(fc.array(fc.nat(12), { maxLength: 8 }), fc.integer({ min: 1, max: 8 }), (counts, maxRows) => {
      const whole = withHead('protobuf', familiesOf(...counts.map((count, at) => family(`f${at}`, count))));
      const metrics = counts.reduce((sum, count) => sum + count, 0);
      const most = metrics + counts.filter((count) => count === 0).length;
      t.is(cutExposition(whole, most, ofRows(maxRows)), undefined);
      const pieces = [...(cutExposition(whole, most - 1, ofRows(maxRows)) ?? [])];
      t.deepEqual(read(pieces).rows, read([{ bytes: whole, rows: metrics }]).rows);
      t.true(pieces.every(({ rows }) => rows <= maxRows));
      t.is(
        pieces.reduce((sum, { rows }) => sum + rows, 0),
        metrics,
      );
    }),
    { numRuns: propertyRuns(100) },
  );
  const broken = withHead('protobuf', Buffer.concat([familiesOf(family('f', 3)), Buffer.from([9])]));
  t.throws(() => cutExposition(broken, 0, ofRows(1)), { instanceOf: FaultError });
});

test('a line that is too long is left out by its number, and its neighbours are kept', (t) => {
  const text = withHead(
    'openmetrics',
    `# TYPE a gauge\na 1\nb{x="${'y'.repeat(200)}"} 2\n${' '.repeat(300)}\na{c="d"} 3\n# EOF\n`,
  );
  const pieces = [...(cutExposition(text, 0, { ...ofRows(1_000), rowBytes: 100 }) ?? [])];
  t.deepEqual(
    pieces.map(({ rows, tooLong = false }) => [rows, tooLong]),
    [
      [2, false],
      [1, true],
      [1, true],
      [2, false],
    ],
  );
  const kept = withHead('openmetrics', '# TYPE a gauge\na 1\na{c="d"} 3\n# EOF\n');
  t.deepEqual(read(pieces.filter(({ tooLong }) => tooLong !== true)).rows, read([{ bytes: kept, rows: 4 }]).rows);
});

test('empty families are cut, too', (t) => {
  const pieces = [...(cutExposition(withHead('protobuf', Buffer.alloc(2_500)), 2_000, ofRows(1_000)) ?? [])];
  t.is(pieces.length, 3);
  t.deepEqual(read(pieces).rows, []);
});

test('a text of bad lines is cut, too, and the points behind them stay whole', (t) => {
  const samples = Array.from({ length: 40 }, (_, at) => `h_bucket{le="${at}"} ${at}\n`).join('');
  const pieces = [
    ...(cutExposition(withHead('text', `# TYPE h histogram\n${'x\n'.repeat(3_000)}${samples}`), 0, ofRows(1_000)) ??
      []),
  ];
  t.deepEqual(
    pieces.map(({ rows }) => rows),
    [1_000, 1_000, 1_000, 41],
  );
});

test('a long series is cut between its times, and without times behind the samples that a point may have', (t) => {
  const cut = (line: (at: number) => string, count: number) => {
    const text = withHead('text', Array.from({ length: count }, (_, at) => line(at)).join(''));
    return [...(cutExposition(text, 0, ofRows(1_000)) ?? [])].map(({ rows }) => rows);
  };
  t.deepEqual(
    cut((at) => `a{b="c"} 1 ${at}\n`, 2_500),
    [1_000, 1_000, 500],
  );
  t.deepEqual(
    cut(() => 'a{b="c"} 1\n', 12_000),
    [5_096, 5_096, 1_808],
  );
});

test('a text of comments and blank lines is cut, and types that they tell stay known', (t) => {
  const text = withHead('text', `# TYPE c counter\n${'# HELP c\n\n'.repeat(2_000)}c 1\n`);
  const pieces = [...(cutExposition(text, 0, ofRows(1_000)) ?? [])];
  t.deepEqual(
    pieces.map(({ rows }) => rows),
    [1_000, 1_000, 1_000, 1_000, 2],
  );
  t.deepEqual(read(pieces).rows, read([{ bytes: text, rows: 0 }]).rows);
});

test('a text with few lines is not cut', (t) => {
  t.is(cutExposition(withHead('text', 'a 1\nb 2\n'), 3, ofRows(1)), undefined);
});
