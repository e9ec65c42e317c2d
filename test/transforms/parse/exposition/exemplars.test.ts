import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parseExposition } from '../../../../src/transforms/parse/exposition/exposition.js';
import { LineProtocolDesk, nowTicks, type ReadRow } from '../../../support/messages/line-protocol.js';
import { fixturePath } from '../../../support/recordings.js';

const url = 'http://host:9100';

/** Samples and exemplars of OpenMetrics text; rows of samples have their table before them. */
function scrape(text: string | Uint8Array) {
  const desk = new LineProtocolDesk();
  const parsed = parseExposition(
    Buffer.concat([Buffer.from(`openmetrics ${url}\n`), Buffer.from(text)]),
    desk.options(),
  );
  const rows = desk.rows(parsed);
  const exemplars = rows.filter(({ table }) => table === 'metric_exemplars').map(shown);
  const samples = rows.filter(({ table }) => table !== 'metric_exemplars').map((row) => [row.table, ...shown(row)]);
  return { samples, exemplars, parsed };
}

/** Tags, fields and, unless it is that of the scrape, the time of a row. */
function shown({ tags, fields, time }: ReadRow): unknown[] {
  const { url: _, ...labels } = tags;
  const values = Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
  return time === nowTicks ? [labels, values] : [labels, values, time];
}

test('exemplars are rows of their own, with the labels of their sample, whatever is wrong with them', (t) => {
  const text = `# TYPE h histogram
h_bucket{le="1",a="x"} 1 # {trace_id="t\\"1",span="s"} 0.5 1700000000.25
h_bucket{le="+Inf",a="x"} 2 1700000009 # {} 7
h_sum{a="x"} 3 # {a="b"}
h_count{a="x"} 2 # a 1
c_total 1 # {trace_id="t2"} NaN
n NaN # {trace_id="t3"} 1
"m" 1
{"m.n",a="1"} 5 1700000009 # {"o.p"="q"} 6
# EOF
`;
  const { samples, exemplars, parsed } = scrape(text);
  t.is(parsed.rejects[0]?.fault.message, 'http://host:9100: line 8 "\\"m\\" 1" does not begin with a name');
  t.deepEqual([parsed.rejectedRows, parsed.leftOut], [1, 2]);
  t.deepEqual(samples, [
    ['h', { a: 'x' }, { '1': 1 }],
    ['h', { a: 'x' }, { '+Inf': 2 }, 1_700_000_009_000_000_000n],
    ['h', { a: 'x' }, { sum: 3, count: 2 }],
    ['c_total', {}, { value: 1 }],
    ['m_n', { a: '1' }, { value: 5 }, 1_700_000_009_000_000_000n],
  ]);
  const labels = (name: string, more: string) => ({ labels: `{"__name__":"${name}",${more}"url":"${url}"}` });
  t.deepEqual(exemplars, [
    [
      labels('h_bucket', '"a":"x","le":"1",'),
      { v: 0.5, exemplar: '{"trace_id":"t\\"1","span":"s"}' },
      1_700_000_000_250_000_000n,
    ],
    [labels('h_bucket', '"a":"x","le":"+Inf",'), { v: 7, exemplar: '{}' }, 1_700_000_009_000_000_000n],
    [labels('c_total', ''), { exemplar: '{"trace_id":"t2"}' }],
    [labels('m.n', '"a":"1",'), { v: 6, exemplar: '{"o.p":"q"}' }, 1_700_000_009_000_000_000n],
  ]);
});

test('each exemplar of a recorded scrape is there', (t) => {
  const text = readFileSync(join(fixturePath('hostexporter'), 'prom-client-15.1.3-openmetrics.txt'), 'utf8');
  const { exemplars } = scrape(text);
  t.is(exemplars.length, 5);
  t.deepEqual(
    exemplars.map(([, values]) => values),
    Array.from(text.matchAll(/ # \{trace_id="([\w.]+)"\} (\S+)/g), ([, id, value]) => ({
      v: Number(value),
      exemplar: `{"trace_id":"${id}"}`,
    })),
  );
});

test('a label of the sample with the name of a forced one stays in the exemplar', (t) => {
  const { exemplars } = scrape('a{url="/a"} 1 # {} 3\na{url="/b"} 2 # {} 4\n# EOF\n');
  t.deepEqual(exemplars, [
    [{ labels: `{"__name__":"a","exported_url":"/a","url":"${url}"}` }, { v: 3, exemplar: '{}' }],
    [{ labels: `{"__name__":"a","exported_url":"/b","url":"${url}"}` }, { v: 4, exemplar: '{}' }],
  ]);
});
