import test from 'ava';
import fc from 'fast-check';
import { metricOf } from '../../src/model/label-set.js';
import { labelSetKey } from '../../src/transforms/points/label-set.js';

const text = fc.string({ unit: fc.constantFrom('a', 'b', '=', ',', '"', '\\', '1', 'ä', '\u0000'), maxLength: 6 });

test('the labels that a sub-table was made with give its metric as the parser does, in any order of them', (t) => {
  const labels = fc.dictionary(fc.oneof(fc.constant('__name__'), text), text, { minKeys: 1, noNullPrototype: true });
  const tables = fc.constantFrom('metrics', 'metric_histograms');
  fc.assert(
    fc.property(labels, tables, (set, table) => {
      const raw = Object.entries(set).map(([name, value]) => ({
        name: Buffer.from(name),
        value: Buffer.from(value),
      }));
      const key = labelSetKey(raw, table);
      if ('message' in key) return;
      t.is(key.metric, set.__name__ || undefined);
      const reversed = JSON.stringify(Object.fromEntries(Object.entries(set).reverse()));
      t.is(metricOf(table, key.subTable, new Map([['labels', reversed]])), key.metric);
    }),
  );
});

test('labels that a name does not stand for give no metric', (t) => {
  const name = 't_e0cd0714bd97e68c4f32ea38f4e49b33';
  const labels = '{"__name__":"up","job":"n"}';
  const of = (json: string | undefined, as = name, table = 'metrics') =>
    metricOf(table, as, new Map([['labels', json]]));
  t.is(of(labels), 'up');
  t.is(of('{ "job" : "n", "__name__" : "up", "empty" : "" }'), 'up');
  t.is(of(labels, 'd1'), undefined);
  t.is(of(labels, name, 'metric_histograms'), undefined);
  t.is(of('{"__name__":"down","job":"n"}'), undefined);
  t.is(of('{"__name__":1}'), undefined);
  t.is(of('["__name__"]'), undefined);
  t.is(of('{"__name__"'), undefined);
  t.is(of(undefined), undefined);
});
