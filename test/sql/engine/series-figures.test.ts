import test from 'ava';
import fc from 'fast-check';
import { figuresBySeries, seriesFigures, statementOfMany } from '../../../src/sql/engine/series-figures.js';

const head = 'SELECT (max(t1.`c1_Float64`)) AS r1, toInt64(count()) AS r2 FROM d.t AS t1 FINAL';

function figures(id: bigint, terms: readonly string[], text = head) {
  const where = [`t1.id = ${id}`, ...terms];
  const sql = `${text} WHERE ${where.length === 1 ? where[0] : `and(${where.join(', ')})`}`;
  const figures = seriesFigures(sql, where, 't1.id', id);
  return figures && { ...figures, givesNoneForEmpty: false };
}

test('questions with the same conditions ask for a list of series, others for each by itself', (t) => {
  const grouped = head.replace('SELECT ', 'SELECT t1.id AS k, ');
  const all = [1n, 18446744073709551615n].map((id) => figures(id, ['less(t1.ts, 5)'])!);
  const inList = `${grouped} WHERE and(t1.id IN (1, 18446744073709551615), less(t1.ts, 5)) GROUP BY t1.id`;
  t.is(statementOfMany(all), inList);
  const [first, other] = [figures(1n, ['less(t1.ts, 5)'])!, figures(2n, [])!];
  const each = `${grouped} WHERE or(and(t1.id = 1, less(t1.ts, 5)), t1.id = 2) GROUP BY t1.id`;
  t.is(statementOfMany([first, other]), each);
});

test('what more rows, keys or another order could change is asked by itself', (t) => {
  t.truthy(figures(7n, []));
  t.truthy(figures(7n, [], "SELECT max(t1.`sum(x)`) AS r1, 'avg(x)' AS r2 FROM d.t AS t1 FINAL"));
  for (const name of ['stddevPop', 'avgIf', 'quantile', 'groupArray', 'any']) {
    t.is(figures(7n, [], head.replace('max', name)), undefined, name);
  }
  const where = ['t1.id = 7'];
  for (const end of [' ORDER BY r1', ' LIMIT 1', ' GROUP BY 1', ' HAVING r2 > 0']) {
    t.is(seriesFigures(`${head} WHERE t1.id = 7${end}`, where, 't1.id', 7n), undefined, end);
  }
  t.is(seriesFigures(`${head} WHERE t1.id = 7`, where, 't1.id', 8n), undefined);
});

test('each series gets its row back, byte by byte', (t) => {
  const json = fc.oneof(fc.double({ noNaN: true }), fc.constant(null), fc.string({ unit: 'binary' }), fc.boolean());
  const rows = fc.uniqueArray(fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.array(json, { minLength: 1 })), {
    selector: ([id]) => id,
  });
  fc.assert(
    fc.property(rows, (all) => {
      const lines = all.map(([id, values]) => `[${id},${JSON.stringify(values).slice(1)}\n`);
      const figures = figuresBySeries(Buffer.from(lines.join('')));
      t.is(figures.size, all.length);
      for (const [id, values] of all) t.is(figures.get(String(id))?.toString(), `${JSON.stringify(values)}\n`);
    }),
  );
});
