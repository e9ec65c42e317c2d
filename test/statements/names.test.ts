import test from 'ava';
import { Catalogue } from '../../src/database/catalogue/catalogue.js';
import { Access } from '../../src/database/catalogue/rights.js';
import { Storage } from '../../src/database/store/storage.js';
import { SubTables } from '../../src/database/store/sub-tables.js';
import { dataType } from '../../src/model/schema.js';
import { parseStatement } from '../../src/sql/parser/statement.js';
import { StatementNames } from '../../src/statements/names.js';
import { tablesOf } from '../../src/statements/queries/queries.js';
import { silentLog } from '../support/engine/engine.js';
import { sharedEngine } from '../support/engine/shared-engine.js';

const { client, end } = await sharedEngine();
test.after.always(end);

test('a drop in the database makes what was looked up unknown again, never absent', async (t) => {
  const catalogue = new Catalogue(client, silentLog);
  const subTables = new SubTables(client, catalogue);
  const columns = [{ name: 'v', type: dataType('INT') }];
  await catalogue.submit([
    { op: 'create-database', name: 'db', precision: 'ms', keepDays: 3650, options: {} },
    { op: 'extend-table', database: 'db', name: 'm', timeColumn: '_ts', columns, tags: [] },
  ]);
  const [database, table] = [catalogue.database('db')!, catalogue.table('db', 'm')!];
  await new Storage(client, catalogue).ensure(database, table);
  const children = ['a', 'b'].map((name) => subTables.make(database, 'm', name, new Map(), 0));
  t.is(await subTables.register(database, table, children), undefined);

  const names = new StatementNames(catalogue, new SubTables(client, catalogue), new Access(catalogue, 'root'), 'READ');
  const all = ['a', 'b', 'none'].map((name) => ({ database: 'db', name }));
  const kinds = () =>
    all.map(({ database, name }) => {
      const meaning = names.resolve(database, name);
      return typeof meaning === 'string' ? meaning : meaning.kind;
    });
  await names.lookUp(all);
  t.deepEqual(kinds(), ['sub', 'sub', 'absent']);
  await catalogue.submit([{ op: 'drop-sub-table', database: 'db', superTable: 'm', name: 'b', generation: 0 }]);
  t.deepEqual(kinds(), ['unknown', 'unknown', 'unknown']);
  await names.lookUp(all);
  t.deepEqual(kinds(), ['sub', 'absent', 'absent']);
});

test('a query waits for the tables that it names, for a database where it may mean a sub-table, and else for all', async (t) => {
  const catalogue = new Catalogue(client, silentLog);
  await catalogue.submit([
    { op: 'create-database', name: 'w', precision: 'ms', keepDays: 3650, options: {} },
    { op: 'extend-table', database: 'w', name: 'm', timeColumn: '_ts', columns: [], tags: [] },
    { op: 'create-view', database: 'w', name: 'v', text: 'SELECT 1', current: 'w', user: 'root', replace: false },
  ]);
  const waited = (text: string) => {
    const statement = parseStatement(text);
    return statement.kind === 'query' ? tablesOf(statement.query, 'w', catalogue) : undefined;
  };
  t.deepEqual(waited('SELECT 1'), []);
  t.deepEqual(waited('SELECT * FROM m'), [{ database: 'w', table: 'm' }]);
  t.deepEqual(waited('SELECT * FROM w.m1, w.m'), [{ database: 'w' }, { database: 'w', table: 'm' }]);
  for (const name of ['v', 'information_schema.ins_tables', 'none.m']) t.is(waited(`SELECT * FROM ${name}`), 'all');
});
