import test from 'ava';
import { Catalogue } from '../../src/database/catalogue/catalogue.js';
import { EngineClient } from '../../src/database/engine/client.js';
import { Dictionaries } from '../../src/pipelines/dictionaries.js';
import { silentLog } from '../support/engine/engine.js';

test('series of a bounded number of databases are remembered, those written to last', async (t) => {
  // Nothing is asked of the engine.
  const client = new EngineClient({ url: 'http://127.0.0.1:9', user: '', password: '' });
  const dictionaries = new Dictionaries(new Catalogue(client, silentLog));
  const database = (id: number) =>
    ({ id: `d${id}_0`, name: `n${id}`, precision: 'ns', keepDays: 1, options: {}, created: 0 }) as const;
  const first = dictionaries.of(database(0), 'lineproto');
  const second = dictionaries.of(database(1), 'lineproto');
  for (let id = 2; id < 200; id++) {
    dictionaries.of(database(id), 'lineproto');
    t.is(dictionaries.of(database(0), 'lineproto'), first);
  }
  t.true(dictionaries.size <= 64);
  t.not(dictionaries.of(database(1), 'lineproto'), second);
  await client.close();
});
