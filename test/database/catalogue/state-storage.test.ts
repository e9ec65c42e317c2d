import test from 'ava';
import type { LogEntry, Operation } from '../../../src/database/catalogue/operations.js';
import { CatalogueState } from '../../../src/database/catalogue/state.js';
import { dataType } from '../../../src/model/schema.js';

function entry(position: number, ...operations: Operation[]): LogEntry {
  return { position, at: 1_700_000_000_000, key: String(position), operations };
}

const createDatabase = { op: 'create-database', name: 'db', precision: 'ms', keepDays: 3650, options: {} } as const;

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
  const created = (name: string, ...types: readonly ReturnType<typeof dataType>[]) => {
    t.deepEqual(state.apply(arriving(++position, name, types, { shares: 'shape' })), [undefined]);
    return state.table('db', name)!;
  };
  const [double, bigint] = [dataType('DOUBLE'), dataType('BIGINT')];
  const dropped = (name: string) => {
    const drop = { op: 'drop-table', database: 'db', name, id: state.table('db', name)!.id } as const;
    t.deepEqual(state.apply(entry(++position, drop)), [undefined]);
  };
  const [a, b, c] = [created('a', double, bigint), created('b', double, bigint), created('c', double, bigint)];
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
  t.is(created('d', bigint, double).number, undefined);
  const metric = created('e', double);
  t.deepEqual([metric.number, metric.tagStorage], [3, b.tagStorage]);
  t.deepEqual(created('b', double, bigint, double, double).columns[3]!.physical, 'c4_Float64');
  t.is(state.table('db', 'b')!.storage, b.storage);
  // As long as one of the shape is left, new ones share; then the first is alone again.
  dropped('a');
  const f = created('f', double, bigint);
  t.deepEqual([f.storage, f.number], [c.storage, 4]);
  for (const name of ['b', 'c', 'f']) dropped(name);
  t.is(created('a', double, bigint).number, undefined);
});

test('shared storage that a table has made wide takes no more tables, and those in it stay', (t) => {
  const state = new CatalogueState();
  state.apply(entry(1, createDatabase));
  const double = dataType('DOUBLE');
  const wide = (columns: number) => Array.from({ length: columns }, () => double);
  const created = (position: number, name: string, columns: number) => {
    t.deepEqual(state.apply(arriving(position, name, wide(columns), { shares: 'shape' })), [undefined]);
    return state.table('db', name)!;
  };
  const [, b, c] = [created(2, 'a', 2), created(3, 'b', 2), created(4, 'c', 2)];
  // The first table has storage of its own, so that its columns are nobody else's matter.
  created(5, 'a', 60);
  t.is(created(6, 'd', 2).storage, b.storage);
  t.is(created(7, 'b', 18).storage, b.storage);
  t.is(created(8, 'e', 2).storage, b.storage);
  t.is(created(9, 'b', 19).storage, b.storage);
  const [f, g] = [created(10, 'f', 2), created(11, 'g', 2)];
  t.not(f.storage, b.storage);
  t.is(g.storage, f.storage);
  t.is(created(12, 'c', 2).storage, c.storage);
  // What is wide already closes nothing again.
  created(13, 'b', 40);
  t.is(created(14, 'h', 2).storage, f.storage);
});

test('logs of before shared by type lay out their tables as they did', (t) => {
  const state = new CatalogueState();
  const created = (
    position: number,
    name: string,
    types: readonly ReturnType<typeof dataType>[],
    tag?: typeof double,
  ) => {
    t.deepEqual(state.apply(arriving(position, name, types, tag === undefined ? {} : { tag })), [undefined]);
    return state.table('db', name)!;
  };
  state.apply(entry(1, createDatabase));
  const double = dataType('DOUBLE');
  const [a, b, c] = [created(2, 'a', [double]), created(3, 'b', [double]), created(4, 'c', [dataType('BIGINT')])];
  t.deepEqual([a.number, b.number, c.number], [1, 2, 3]);
  t.is(a.storage, b.storage);
  t.not(a.storage, c.storage);
  t.deepEqual([b.tagStorage, c.tagStorage], [a.tagStorage, a.tagStorage]);
  t.deepEqual([a.columns[0]!.physical, a.tags[0]!.physical], ['c1_Float64', 'c2_String']);
  const own = [
    created(5, 'wide', [double, double]),
    created(6, 'labelled', [double], dataType('JSON')),
    created(6, 'second', [double, double]),
  ];
  const statement = { op: 'create-table', database: 'db', name: 'stated', kind: 'super', timeColumn: 'ts' } as const;
  const spec = { columns: [{ name: 'v', type: double }], tags: [], comment: undefined, ttl: 0 };
  t.deepEqual(state.apply(entry(7, { ...statement, ...spec })), [undefined]);
  own.push(state.table('db', 'stated')!);
  for (const { number, storage } of own) {
    t.is(number, undefined);
    t.false([a.storage, c.storage].includes(storage));
  }
  const grown = created(8, 'a', [double, double]);
  t.deepEqual([grown.number, grown.storage], [1, a.storage]);
  t.deepEqual(state.apply(entry(9, { op: 'drop-table', database: 'db', name: 'b', id: b.id })), [undefined]);
  t.is(created(10, 'b', [double]).number, 4);
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
