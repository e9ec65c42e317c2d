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

test('tells of each table when something was last dropped from it', (t) => {
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

/** An entry in which arriving data makes or grows a table with columns v0, v1, … of these types and a tag `g`. */
function arriving(
  position: number,
  name: string,
  types: readonly ReturnType<typeof dataType>[],
  { tag = dataType('NCHAR', 8), ...rest }: { tag?: ReturnType<typeof dataType>; shares?: 'shape' } = {},
): LogEntry {
  const columns = types.map((type, at) => ({ name: `v${at}`, type }));
  const tags = [{ name: 'g', type: tag }];
  return entry(position, { op: 'extend-table', database: 'db', name, timeColumn: '_ts', columns, tags, ...rest });
}

test('tables that data makes with the same columns share storage, from the second on where they have several', (t) => {
  const state = new CatalogueState();
  state.apply(entry(1, createDatabase));
  let position = 1;
  const made = (name: string, ...types: readonly ReturnType<typeof dataType>[]) => {
    t.deepEqual(state.apply(arriving(++position, name, types, { shares: 'shape' })), [undefined]);
    return state.table('db', name)!;
  };
  const [double, bigint] = [dataType('DOUBLE'), dataType('BIGINT')];
  const dropped = (name: string) => {
    const drop = { op: 'drop-table', database: 'db', name, id: state.table('db', name)!.id } as const;
    t.deepEqual(state.apply(entry(++position, drop)), [undefined]);
  };
  const [a, b, c] = [made('a', double, bigint), made('b', double, bigint), made('c', double, bigint)];
  t.deepEqual([a.number, b.number, c.number], [undefined, 1, 2]);
  t.is(b.storage, c.storage);
  t.is(b.tagStorage, c.tagStorage);
  t.not(a.storage, b.storage);
  // Tags are numbered by themselves, so that those of all shapes lie in the same columns.
  t.deepEqual(
    [...b.columns, ...b.tags].map(({ physical }) => physical),
    ['c1_Float64', 'c2_Int64', 'g1_String'],
  );
  // The order of types is part of the shape; a metric shares from the first on.
  t.is(made('d', bigint, double).number, undefined);
  const metric = made('e', double);
  t.deepEqual([metric.number, metric.tagStorage], [3, b.tagStorage]);
  t.deepEqual(made('b', double, bigint, double, double).columns[3]!.physical, 'c4_Float64');
  t.is(state.table('db', 'b')!.storage, b.storage);
  // As long as one of the shape is left, new ones share; then the first is alone again.
  dropped('a');
  const f = made('f', double, bigint);
  t.deepEqual([f.storage, f.number], [c.storage, 4]);
  for (const name of ['b', 'c', 'f']) dropped(name);
  t.is(made('a', double, bigint).number, undefined);
});

test('shared storage that a table has made wide takes no more tables, and those in it stay', (t) => {
  const state = new CatalogueState();
  state.apply(entry(1, createDatabase));
  const double = dataType('DOUBLE');
  const wide = (columns: number) => Array.from({ length: columns }, () => double);
  const made = (position: number, name: string, columns: number) => {
    t.deepEqual(state.apply(arriving(position, name, wide(columns), { shares: 'shape' })), [undefined]);
    return state.table('db', name)!;
  };
  const [, b, c] = [made(2, 'a', 2), made(3, 'b', 2), made(4, 'c', 2)];
  // The first table has storage of its own, so that its columns are nobody else's matter.
  made(5, 'a', 60);
  t.is(made(6, 'd', 2).storage, b.storage);
  t.is(made(7, 'b', 18).storage, b.storage);
  t.is(made(8, 'e', 2).storage, b.storage);
  t.is(made(9, 'b', 19).storage, b.storage);
  const [f, g] = [made(10, 'f', 2), made(11, 'g', 2)];
  t.not(f.storage, b.storage);
  t.is(g.storage, f.storage);
  t.is(made(12, 'c', 2).storage, c.storage);
  // What is wide already closes nothing again.
  made(13, 'b', 40);
  t.is(made(14, 'h', 2).storage, f.storage);
});

test('logs of before shared by type lay out their tables as they did', (t) => {
  const state = new CatalogueState();
  const made = (position: number, name: string, types: readonly ReturnType<typeof dataType>[], tag?: typeof double) => {
    t.deepEqual(state.apply(arriving(position, name, types, tag === undefined ? {} : { tag })), [undefined]);
    return state.table('db', name)!;
  };
  state.apply(entry(1, createDatabase));
  const double = dataType('DOUBLE');
  const [a, b, c] = [made(2, 'a', [double]), made(3, 'b', [double]), made(4, 'c', [dataType('BIGINT')])];
  t.deepEqual([a.number, b.number, c.number], [1, 2, 3]);
  t.is(a.storage, b.storage);
  t.not(a.storage, c.storage);
  t.deepEqual([b.tagStorage, c.tagStorage], [a.tagStorage, a.tagStorage]);
  t.deepEqual([a.columns[0]!.physical, a.tags[0]!.physical], ['c1_Float64', 'c2_String']);
  const own = [
    made(5, 'wide', [double, double]),
    made(6, 'labelled', [double], dataType('JSON')),
    made(6, 'second', [double, double]),
  ];
  const statement = { op: 'create-table', database: 'db', name: 'stated', kind: 'super', timeColumn: 'ts' } as const;
  const spec = { columns: [{ name: 'v', type: double }], tags: [], comment: undefined, ttl: 0 };
  t.deepEqual(state.apply(entry(7, { ...statement, ...spec })), [undefined]);
  own.push(state.table('db', 'stated')!);
  for (const { number, storage } of own) {
    t.is(number, undefined);
    t.false([a.storage, c.storage].includes(storage));
  }
  const grown = made(8, 'a', [double, double]);
  t.deepEqual([grown.number, grown.storage], [1, a.storage]);
  t.deepEqual(state.apply(entry(9, { op: 'drop-table', database: 'db', name: 'b', id: b.id })), [undefined]);
  t.is(made(10, 'b', [double]).number, 4);
  t.is(state.nextNumber('db'), 5);
  // The same log goes on by the newer rule, beside the tables that are there.
  const newer = arriving(11, 'newer', [double], { shares: 'shape' });
  t.deepEqual(state.apply(newer), [undefined]);
  const { storage, number, tags } = state.table('db', 'newer')!;
  t.deepEqual([storage, number, tags[0]!.physical], [a.storage, 5, 'g1_String']);
});

test('tables that are alike have one list of columns, until one of them grows', (t) => {
  const state = new CatalogueState();
  const columns = [{ name: 'v', type: dataType('DOUBLE') }];
  const arrivingTable = (name: string, more: typeof columns = []): Operation => ({
    op: 'extend-table',
    database: 'db',
    name,
    timeColumn: '_ts',
    // As they are read from the log: each its own.
    columns: structuredClone([...columns, ...more]),
    tags: [{ name: 'site', type: dataType('NCHAR', 8) }],
    shares: 'shape',
  });
  state.apply(entry(1, createDatabase));
  state.apply(entry(2, arrivingTable('a'), arrivingTable('b')));
  const [a, b] = ['a', 'b'].map((name) => state.table('db', name)!);
  t.is(a!.columns, b!.columns);
  t.is(a!.tags, b!.tags);
  t.is(a!.storage, b!.storage);
  t.not(a!.number, b!.number);
  state.apply(entry(3, arrivingTable('a', [{ name: 'w', type: dataType('DOUBLE') }])));
  t.deepEqual(
    ['a', 'b'].map((name) => state.table('db', name)!.columns.map(({ physical }) => physical)),
    [['c1_Float64', 'c2_Float64'], ['c1_Float64']],
  );
});
