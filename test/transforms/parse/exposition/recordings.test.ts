import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parseExposition } from '../../../../src/transforms/parse/exposition/exposition.js';
import { boundName } from '../../../../src/transforms/points/bound-field.js';
import { LineProtocolDesk } from '../../../support/messages/line-protocol.js';
import { fixturePath } from '../../../support/recordings.js';

interface Recorded {
  readonly content_type?: string;
  readonly samples?: readonly {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number | string;
    readonly timestamp?: number | string | null;
    readonly timestamp_ms?: number | string | null;
  }[];
}

const folder = fixturePath('hostexporter');

for (const name of readdirSync(folder).filter((file) => file.endsWith('.txt'))) {
  test(`${name}: a recorded scrape means what its recording says`, (t) => {
    const recorded: Recorded = JSON.parse(readFileSync(join(folder, name.replace('.txt', '.json')), 'utf8'));
    const format = recorded.content_type?.includes('openmetrics') ? 'openmetrics' : 'text';
    const text = Buffer.concat([Buffer.from(`${format} http://host:9100\n`), readFileSync(join(folder, name))]);
    const desk = new LineProtocolDesk();
    const parsed = parseExposition(text, desk.options());
    const rows = desk.rows(parsed).filter(({ table }) => table !== 'metric_exemplars');
    t.is(parsed.rejectedRows, name.includes('invalid') ? 2 : 0);
    const values = new Map<string, number>();
    for (const row of rows) {
      for (const [field, { value }] of Object.entries(row.fields))
        values.set(keyOf(row.table, ownLabels(row.tags), field), Number(value));
    }
    let count = 0;
    for (const { name: sample, labels, value } of recorded.samples ?? []) {
      if (value === 'NaN') continue;
      const { le, quantile, ...rest } = labels;
      const bound = le ?? quantile;
      const table = bound === undefined ? sample : sample.replace(/_bucket$/, '');
      const number = typeof value === 'number' ? value : Number(value.replace('Inf', 'Infinity'));
      const candidates =
        bound === undefined
          ? [
              keyOf(sample, rest, 'gauge'),
              keyOf(sample, rest, 'counter'),
              keyOf(sample, rest, 'value'),
              keyOf(sample.replace(/_g?sum$/, ''), rest, 'sum'),
              keyOf(sample.replace(/_g?count$/, ''), rest, 'count'),
            ]
          : [keyOf(table, rest, boundName(Number(bound.replace('Inf', 'Infinity')))), keyOf(sample, labels, 'value')];
      const match = candidates.find((key) => values.has(key));
      t.is(match === undefined ? undefined : values.get(match), number, `${sample} ${JSON.stringify(labels)}`);
      count++;
    }
    if (!name.includes('invalid')) t.is(count, values.size);
    t.true(values.size > 10);
  });
}

type Labels = Readonly<Record<string, string | undefined>>;

/** The labels that a sample had before it got that of the scrape. */
function ownLabels({ url: _, exported_url: own, ...labels }: Labels): Labels {
  return own === undefined ? labels : { ...labels, url: own };
}

function keyOf(table: string, tags: Labels, field: string): string {
  const labels = Object.entries(tags).filter(([, value]) => value !== '' && value !== undefined);
  return `${table} ${JSON.stringify(labels.sort())} ${field}`;
}
