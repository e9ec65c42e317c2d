import test from 'ava';
import { Codes } from '../../../src/model/fault.js';
import { moreCases } from '../../support/cases.js';
import { sharedService } from '../../support/service/shared-service.js';
import { RandomStatements, randomTables } from '../../support/sql/random-statements.js';

const { service, end } = await sharedService();
test.after.always(end);

const database = 'drawn';

test.before(async () => {
  await service.run(`CREATE DATABASE ${database}`);
  for (const sql of randomTables) await service.run(sql, { database });
});

/** Codes of errors that are not the dialect's own words about a statement. */
const foreign: ReadonlySet<number> = new Set([Codes.free, Codes.networkUnavailable]);

const perTest = 1_000;
const drawnSeed = process.env.PROPERTY_SEED ?? '20261121';
const seed = drawnSeed === 'random' ? Date.now() : Number(drawnSeed);

for (let part = 0; part < moreCases(1, 20); part++) {
  test(`random statements of seed ${seed + part} have rows or a refusal of the dialect, and no text of the engine`, async (t) => {
    const statements = new RandomStatements(seed + part);
    const failures: string[] = [];
    let [left, answered] = [perTest, 0];
    const work = async (): Promise<void> => {
      while (left-- > 0) {
        const sql = statements.next();
        const { status, body, text } = await service.sql(sql, { database });
        if (status !== 200 || foreign.has(body.code) || body.desc?.includes('DB::Exception') === true)
          failures.push(`${sql}: ${text.slice(0, 300)}`);
        if (body.code === 0) answered++;
      }
    };
    await Promise.all([work(), work(), work()]);
    t.deepEqual(failures, []);
    // The engine has to look at many of them.
    t.true(answered > perTest / 3, `${answered}`);
  });
}
