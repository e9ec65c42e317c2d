import test from 'ava';
import fc from 'fast-check';
import type { LogEntry, Operation } from '../../../src/database/catalogue/operations.js';
import { CatalogueState } from '../../../src/database/catalogue/state.js';
import { Codes } from '../../../src/model/fault.js';
import { dataType } from '../../../src/model/schema.js';

function entry(position: number, ...operations: Operation[]): LogEntry {
  return { position, at: 1_700_000_000_000, key: String(position), operations };
}

const createDatabase = { op: 'create-database', name: 'db', precision: 'ms', keepDays: 3650, options: {} } as const;

function dropSubTable(name: string, generation: number): Operation {
  return { op: 'drop-sub-table', database: 'db', superTable: 't', name, generation };
}

function superTable(columns: readonly [string, ReturnType<typeof dataType>][], tags = ['site']): Operation {
  return {
    op: 'extend-table',
    database: 'db',
    name: 't',
    timeColumn: '_ts',
    columns: columns.map(([name, type]) => ({ name, type })),
    tags: tags.map((name) => ({ name, type: dataType('NCHAR', 8) })),
  };
}

test('refuses what does not fit the state before it, with the code of the dialect', (t) => {
  const state = new CatalogueState();
  const codes = (position: number, ...operations: Operation[]) =>
    state.apply(entry(position, ...operations)).map((fault) => fault?.code);
  t.deepEqual(codes(1, superTable([['v', dataType('INT')]])), [Codes.databaseNotExist]);
  t.deepEqual(codes(2, createDatabase, createDatabase), [undefined, Codes.databaseAlreadyExists]);
  t.deepEqual(codes(3, superTable([['v', dataType('INT')]])), [undefined]);
  t.deepEqual(codes(4, superTable([['v', dataType('DOUBLE')]])), [Codes.schemalessTypeConflict]);
  t.deepEqual(codes(5, superTable([['site', dataType('INT')]])), [Codes.duplicatedColumns]);
  const change = (change: Extract<Operation, { op: 'alter-table' }>['change']) =>
    ({ op: 'alter-table', database: 'db', name: 't', change }) as const;
  const v = { name: 'v', type: dataType('INT') };
  t.deepEqual(codes(6, change({ kind: 'add-column', column: v })), [Codes.columnAlreadyExists]);
  t.deepEqual(codes(7, change({ kind: 'drop-column', name: 'x' })), [Codes.columnNotExist]);
  t.deepEqual(codes(8, change({ kind: 'drop-column', name: '_ts' })), [Codes.primaryTimestampDrop]);
  t.deepEqual(codes(9, change({ kind: 'drop-column', name: 'v' })), [Codes.noColumnsToDrop]);
  t.deepEqual(codes(10, change({ kind: 'modify-column', column: v })), [Codes.modifyOnlyWidens]);
  t.deepEqual(codes(11, change({ kind: 'drop-tag', name: 'x' })), [Codes.tagNotExist]);
  t.deepEqual(codes(12, change({ kind: 'drop-tag', name: 'site' })), [Codes.invalidAlterTable]);
  t.deepEqual(codes(13, { op: 'drop-user', name: 'ann' }), [Codes.userNotExist]);
});

test('grows a table by what is missing, widens strings, and never narrows', (t) => {
  const state = new CatalogueState();
  state.apply(entry(1, createDatabase));
  state.apply(entry(2, superTable([['s', dataType('VARCHAR', 16)]])));
  state.apply(
    entry(
      3,
      superTable(
        [
          ['s', dataType('VARCHAR', 64)],
          ['v', dataType('INT')],
        ],
        ['site', 'floor'],
      ),
    ),
  );
  state.apply(entry(4, superTable([['s', dataType('VARCHAR', 8)]], [])));
  const table = state.table('db', 't')!;
  t.deepEqual(
    table.columns.map((column) => [column.name, column.type.length]),
    [
      ['s', 64],
      ['v', 4],
    ],
  );
  t.deepEqual(
    table.tags.map((tag) => tag.name),
    ['site', 'floor'],
  );
  t.is(new Set([...table.columns, ...table.tags].map((column) => column.physical)).size, 4);
});

test('gives a re-added column a new place, so that it starts empty', (t) => {
  const state = new CatalogueState();
  state.apply(entry(1, createDatabase));
  state.apply(
    entry(
      2,
      superTable([
        ['a', dataType('INT')],
        ['b', dataType('INT')],
      ]),
    ),
  );
  const before = state.table('db', 't')!.columns[1]!.physical;
  const alter = { op: 'alter-table', database: 'db', name: 't' } as const;
  state.apply(entry(3, { ...alter, change: { kind: 'drop-column', name: 'b' } }));
  state.apply(entry(4, { ...alter, change: { kind: 'add-column', column: { name: 'b', type: dataType('INT') } } }));
  t.not(state.table('db', 't')!.columns[1]!.physical, before);
});

test('gives a re-created database and table new ids', (t) => {
  const state = new CatalogueState();
  state.apply(entry(1, createDatabase, superTable([['v', dataType('INT')]])));
  const [database, table] = [state.database('db')!.id, state.table('db', 't')!.storage];
  const drop = { op: 'drop-database', name: 'db', id: database } as const;
  state.apply(entry(2, drop, createDatabase, superTable([['v', dataType('INT')]])));
  t.not(state.database('db')!.id, database);
  t.not(state.table('db', 't')!.storage, table);
});

test('counts the generations of dropped sub-tables and changes the epoch with every drop', (t) => {
  const state = new CatalogueState();
  state.apply(entry(1, createDatabase));
  const epoch = state.epoch('db');
  state.apply(entry(2, dropSubTable('a', 0), dropSubTable('b', 0)));
  state.apply(entry(3, dropSubTable('a', 1)));
  t.deepEqual(
    ['a', 'b', 'c'].map((name) => state.generation('db', name)),
    [2, 1, 0],
  );
  t.not(state.epoch('db'), epoch);
});

test('a drop that was decided before something was made anew under the name does not hit it', (t) => {
  const state = new CatalogueState();
  const codes = (position: number, ...operations: Operation[]) =>
    state.apply(entry(position, ...operations)).map((fault) => fault?.code);
  state.apply(entry(1, createDatabase, superTable([['v', dataType('INT')]])));
  const dropTable = { op: 'drop-table', database: 'db', name: 't', id: state.table('db', 't')!.id } as const;
  t.deepEqual(codes(2, dropTable, superTable([['v', dataType('INT')]]), dropTable), [
    undefined,
    undefined,
    Codes.tableNotExist,
  ]);
  t.deepEqual(codes(3, dropSubTable('a', 0), dropSubTable('a', 0)), [undefined, Codes.tableNotExist]);
  const dropDatabase = { op: 'drop-database', name: 'db', id: state.database('db')!.id } as const;
  t.deepEqual(codes(4, dropDatabase, createDatabase, dropDatabase), [undefined, undefined, Codes.databaseNotExist]);
});

test('knows of each table when something was last dropped from it', (t) => {
  const state = new CatalogueState();
  state.apply(entry(1, createDatabase, superTable([['v', dataType('INT')]])));
  t.is(state.lastDrop('db', 't'), 1);
  state.apply(entry(2, dropSubTable('a', 0)));
  t.is(state.lastDrop('db', 't'), 2);
  t.is(state.lastDrop('db', 'other'), 1);
  state.apply(entry(3, { op: 'drop-table', database: 'db', name: 't', id: state.table('db', 't')!.id }));
  t.is(state.lastDrop('db', 't'), 3);
});

const name = fc.constantFrom('a', 'b', 'c');
const type = fc.constantFrom(dataType('INT'), dataType('DOUBLE'), dataType('VARCHAR', 8), dataType('VARCHAR', 32));
const specs = fc.uniqueArray(fc.record({ name, type }), { minLength: 1, maxLength: 3, selector: (spec) => spec.name });

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.constant(createDatabase),
  fc.record(
    {
      op: fc.constant('extend-table' as const),
      database: fc.constant('db'),
      name,
      timeColumn: fc.constant('_ts'),
      columns: specs,
      tags: specs,
      shares: fc.constant('shape' as const),
    },
    { requiredKeys: ['op', 'database', 'name', 'timeColumn', 'columns', 'tags'] },
  ),
  fc.record({
    op: fc.constant('drop-table' as const),
    database: fc.constant('db'),
    name,
    id: fc.nat(30).map((position) => `${position}_0`),
  }),
  fc.record({
    op: fc.constant('drop-sub-table' as const),
    database: fc.constant('db'),
    superTable: name,
    name,
    generation: fc.nat(2),
  }),
  fc.record({
    op: fc.constant('alter-table' as const),
    database: fc.constant('db'),
    name,
    change: fc.record({
      kind: fc.constantFrom('add-column' as const, 'modify-column' as const),
      column: fc.record({ name, type }),
    }),
  }),
);

test('two readers of one log hold the same state, however the log is cut into reads', (t) => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 30 }), (operations) => {
      const entries = operations.map((one, i) => entry(i + 1, one));
      const states = [new CatalogueState(), new CatalogueState()];
      const results = states.map((state) => entries.map((one) => state.apply(one)));
      t.deepEqual(results[0], results[1]);
      t.deepEqual(states[0]!.tables('db'), states[1]!.tables('db'));
      const tables = states[0]!.tables('db');
      for (const table of tables) {
        const all = [...table.columns, ...table.tags];
        t.is(new Set(all.map((column) => column.name)).size, all.length);
        t.is(new Set(all.map((column) => column.physical)).size, all.length);
      }
      t.is(new Set(tables.map(({ storage, number }) => `${storage} ${number}`)).size, tables.length);
    }),
  );
});

test('numbers vgroups from 2 on and never gives a number twice', (t) => {
  const state = new CatalogueState();
  const named = (name: string, options: Record<string, string> = {}): Operation => ({
    ...createDatabase,
    name,
    options,
  });
  state.apply(entry(1, named('a'), named('b', { VGROUPS: '3' })));
  t.deepEqual(state.vgroups('a'), { first: 2, count: 2 });
  t.deepEqual(state.vgroups('b'), { first: 4, count: 3 });
  state.apply(entry(2, { op: 'drop-database', name: 'b', id: state.database('b')!.id }, named('b')));
  t.deepEqual(state.vgroups('b'), { first: 7, count: 2 });
  t.is(state.vgroups('nothing').count, 0);
});

test('remembers when a table was changed last, and when the installation began', (t) => {
  const state = new CatalogueState();
  t.is(state.began, undefined);
  state.apply({ ...entry(1, createDatabase, superTable([['v', dataType('INT')]])), at: 100 });
  t.deepEqual([state.began, state.lastUpdate('db', 't')], [100, 100]);
  const comment = { op: 'alter-table', database: 'db', name: 't', change: { kind: 'comment', text: 'x' } } as const;
  state.apply({ ...entry(2, comment), at: 200 });
  t.is(state.lastUpdate('db', 't'), 200);
  state.apply({ ...entry(3, superTable([['w', dataType('INT')]])), at: 300 });
  t.deepEqual([state.began, state.lastUpdate('db', 't'), state.table('db', 't')?.created], [100, 300, 100]);
  t.is(state.lastUpdate('db', 'nothing'), undefined);
});

test('a statement cannot make a row or its tags longer than they may be, and a JSON tag stays alone', (t) => {
  const state = new CatalogueState();
  const wide = (name: string, length: number) => ({ name, type: dataType('VARCHAR', length) });
  const create = (name: string, tags: { name: string; type: ReturnType<typeof dataType> }[]): Operation => ({
    op: 'create-table',
    database: 'db',
    name,
    kind: 'super',
    timeColumn: 'ts',
    columns: [wide('v', 60_000)],
    tags,
    comment: undefined,
    ttl: 0,
  });
  const json = { name: 'labels', type: dataType('JSON') };
  state.apply(entry(1, createDatabase, create('t', [wide('g', 16_000)]), create('j', [json])));
  const codes = (name: string, change: Extract<Operation, { op: 'alter-table' }>['change']) =>
    state.apply(entry(2, { op: 'alter-table', database: 'db', name, change })).map((fault) => fault?.code);
  t.deepEqual(codes('t', { kind: 'add-column', column: wide('w', 6_000) }), [Codes.rowTooLong]);
  t.deepEqual(codes('t', { kind: 'modify-column', column: wide('v', 65_524) }), [Codes.rowTooLong]);
  t.deepEqual(codes('t', { kind: 'modify-column', column: wide('v', 65_500) }), [undefined]);
  t.deepEqual(codes('t', { kind: 'add-tag', column: wide('h', 400) }), [Codes.tagsTooLong]);
  t.deepEqual(codes('j', { kind: 'add-tag', column: wide('h', 4) }), [Codes.oneJsonTag]);
});

test('a database in single stable mode has one super table, however it is made', (t) => {
  const state = new CatalogueState();
  state.apply(entry(1, { ...createDatabase, options: { SINGLE_STABLE: '1' } }));
  const columns = [{ name: 'v', type: dataType('INT') }];
  const shape = { op: 'extend-table', database: 'db', timeColumn: '_ts', columns, tags: columns } as const;
  const make = (name: string): Operation => ({ ...shape, name, tags: [] });
  const codes = (...operations: Operation[]) => state.apply(entry(2, ...operations)).map((fault) => fault?.code);
  t.deepEqual(codes(make('t'), make('t'), make('u')), [undefined, undefined, Codes.singleStable]);
});

test('growth beyond the bytes of a row is refused and changes nothing', (t) => {
  const state = new CatalogueState();
  const wide = (name: string): [string, ReturnType<typeof dataType>] => [name, dataType('VARCHAR', 40_000)];
  const codes = (position: number, ...operations: Operation[]) =>
    state.apply(entry(position, ...operations)).map((fault) => fault?.code);
  t.deepEqual(codes(1, createDatabase, superTable([wide('a'), wide('b')])), [undefined, Codes.rowTooLong]);
  t.deepEqual(codes(2, superTable([wide('a')]), superTable([wide('b')])), [undefined, Codes.rowTooLong]);
  t.deepEqual(
    state.table('db', 't')?.columns.map(({ name }) => name),
    ['a'],
  );
});
