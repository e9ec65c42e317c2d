import test from 'ava';
import fc from 'fast-check';
import { moreCases } from '../support/cases.js';
import { sharedService } from '../support/service/shared-service.js';
import { until } from '../support/until.js';

const { service, end } = await sharedService();
test.after.always(end);

const first = 1_700_000_000_000;
const devices = 8;
const points = 40;
const database = { database: 'joint' };

/** Device 0 has no rows; the others have overwritten and deleted ones, in several parts. */
test.before(async () => {
  await service.run('CREATE DATABASE joint');
  await service.run(
    'CREATE STABLE m (ts TIMESTAMP, i INT, d DOUBLE, s VARCHAR(20), f FLOAT) TAGS (site INT)',
    database,
  );
  await service.run('CREATE TABLE d0 USING m TAGS (0)', database);
  for (let part = 0; part < 3; part++) {
    const tables = Array.from({ length: devices - 1 }, (_, at) => {
      const rows = Array.from({ length: points / 2 }, (_, row) => {
        const [time, value] = [first + (row + part * 7) * 1000, at * 100 + row + part * 1000];
        const fraction = (value / 7) * 10 ** (row % 9);
        return `(${time}, ${row % 5 === part ? 'NULL' : value}, ${fraction}, 'a\\'${part},${row}]', ${value / 3})`;
      });
      return `d${at + 1} USING m TAGS (${at + 1}) VALUES ${rows.join('')}`;
    });
    await service.run(`INSERT INTO ${tables.join(' ')}`, database);
  }
  await service.run(`DELETE FROM d3 WHERE ts > ${first + 9_000}`, database);
  // Until sizes are known no series counts as short, and the engine adds up as it likes.
  const isShort = async () =>
    JSON.stringify(await service.rows('EXPLAIN VERBOSE true SELECT AVG(d) FROM d1', database));
  await until(async () => (await isShort()).includes('avgForEach'));
});

const figure = fc.constantFrom(
  ...[
    'MAX(i)',
    'MIN(d)',
    'COUNT(*)',
    'COUNT(i)',
    'LAST(i)',
    'LAST(s)',
    'LAST_ROW(ts)',
    'FIRST(d)',
    'MAX(s)',
    'MIN(ts)',
    'AVG(i)',
    'AVG(d)',
    'SUM(d * i)',
    'SPREAD(d)',
    'AVG(f), SUM(i)',
  ],
);
const time = fc.integer({ min: 0, max: points }).map((step) => first + step * 1000);
const question = fc
  .tuple(
    fc.integer({ min: 0, max: devices - 1 }),
    fc.constantFrom('MAX(i), LAST(i)', 'LAST_ROW(ts), AVG(d)', 'AVG(f), SUM(d)', undefined),
    fc.array(figure, { minLength: 1, maxLength: 3 }),
    fc.option(fc.tuple(fc.constantFrom('>=', '>'), fc.oneof(fc.constant(first + 5_000), time)), { nil: undefined }),
  )
  .map(([device, usual, figures, limit]) => {
    const where = limit === undefined ? '' : ` WHERE ts ${limit[0]} ${limit[1]}`;
    return `SELECT ${usual ?? figures.join(', ')} FROM d${device}${where}`;
  });

test.serial('questions that come at the same time have the answers that each has by itself', async (t) => {
  const asked = (sql: string) => service.rows(sql, database);
  await fc.assert(
    fc.asyncProperty(fc.array(question, { minLength: 30, maxLength: 50 }), async (questions) => {
      const together = await Promise.all(questions.map(asked));
      for (const [at, sql] of questions.entries()) t.deepEqual(together[at], await asked(sql), sql);
    }),
    { numRuns: moreCases(5, 20) },
  );
});

test.serial(
  'a question about one device sees its rows that were answered before, and leaves those of others where they are',
  async (t) => {
    const asked = (device: number, limit = 0) => {
      const limits = [`ts >= ${first}`, 'ts < NOW() + 1h'];
      return service.rows(`SELECT LAST_ROW(i), LAST_ROW(ts) FROM d${device} WHERE ${limits[limit]}`, database);
    };
    const [one, other] = [1, 2];
    for (const device of [one, other]) for (const limit of [0, 1]) await asked(device, limit);
    for (let round = 1; round <= moreCases(10, 40); round++) {
      const device = round % 3 === 0 ? other : one;
      const time = first + 3_600_000 + round * 1000;
      await service.run(`INSERT INTO d${device} VALUES (${time}, ${round}, 1, 'x', 1)`, database);
      const [others, own] = await Promise.all([
        asked(device === one ? other : one, round % 2),
        asked(device, round % 2),
      ]);
      t.deepEqual(own, [[round, new Date(time).toISOString()]]);
      t.notDeepEqual(others, own);
    }
  },
);

test.serial('among many questions each sees the rows that were answered before it', async (t) => {
  for (let round = 1; round <= moreCases(4, 12); round++) {
    const others = Array.from({ length: 40 }, (_, at) => service.rows(`SELECT MAX(i) FROM d${(at % 7) + 1}`, database));
    await service.run(`INSERT INTO d1 VALUES (${first}, ${10_000 + round}, 1, 'x', 1)`, database);
    const own = Array.from({ length: 6 }, (_, at) => service.rows(`SELECT MAX(i) FROM d${(at % 2) + 1}`, database));
    t.deepEqual(await own[0], [[10_000 + round]]);
    await Promise.all([...own, ...others]);
  }
});
