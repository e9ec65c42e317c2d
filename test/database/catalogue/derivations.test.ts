import test from 'ava';
import type { Operation } from '../../../src/database/catalogue/operations.js';
import { CatalogueState } from '../../../src/database/catalogue/state.js';
import { dataType } from '../../../src/model/schema.js';

const at = Date.UTC(2026, 0, 1);

/** A state in which database `d` with super table `m` and database `o` exist, and a way to apply more. */
function world() {
  const state = new CatalogueState();
  let position = 0;
  const apply = (...operations: readonly Operation[]): readonly (number | undefined)[] => {
    position += 1;
    return state.apply({ position, at, key: String(position), operations }).map((fault) => fault?.code);
  };
  const database = { op: 'create-database', precision: 'ms', keepDays: 3650, options: {} } as const;
  apply({ ...database, name: 'd' }, { ...database, name: 'o' });
  const columns = ['v', 'w'].map((name) => ({ name, type: dataType('INT') }));
  const table = { kind: 'super', timeColumn: 'ts', columns, tags: [], comment: undefined, ttl: 0 } as const;
  apply({ op: 'create-table', database: 'd', name: 'm', ...table });
  return { state, apply };
}

function stream(name: string, changes: Partial<Extract<Operation, { op: 'create-stream' }>> = {}): Operation {
  const source = { database: 'd', table: 'm', id: '2_0' };
  const target = { database: 'o', table: 'out', id: '9_0' };
  const definition = { statement: '…', current: undefined, user: 'root', timeZone: 'UTC', ownsTarget: true, start: 0 };
  return { op: 'create-stream', name, source, target, ...definition, ...changes };
}

function tsma(name: string, columns: readonly string[] = ['v'], table = 'm'): Operation {
  const definition = {
    functions: columns.map((column) => `avg(${column})`),
    interval: '1m',
    sliding: undefined,
    statement: '…',
  };
  return { op: 'create-tsma', database: 'd', table, name, columns, ...definition };
}

test('streams are made, switched and dropped by name', (t) => {
  const { state, apply } = world();
  t.deepEqual(apply(stream('s')), [undefined]);
  t.like(state.derivations.stream('s'), { name: 's', id: '3_0', paused: false, created: at });
  t.deepEqual(apply(stream('s')), [0x03f0]);
  apply({ op: 'switch-stream', name: 's', paused: true });
  t.true(state.derivations.stream('s')?.paused);
  t.deepEqual(apply({ op: 'drop-stream', name: 's' }, { op: 'drop-stream', name: 's' }), [undefined, 0x03f1]);
  t.deepEqual(apply({ op: 'switch-stream', name: 's', paused: true }), [0x03f1]);
  t.deepEqual(apply(stream('s', { source: { database: 'gone', table: 'm', id: '2_0' } })), [0x0388]);
});

test('a table that was made for a stream is known as such when the stream is gone', (t) => {
  const { state, apply } = world();
  apply(stream('s'), { op: 'drop-stream', name: 's' });
  t.true(state.derivations.isStreamTable('9_0'));
  t.false(state.derivations.isStreamTable('2_0'));
});

test('a dropped database takes along the streams that read or write it', (t) => {
  const { state, apply } = world();
  const [within, across] = [stream('in', { target: { database: 'd', table: 'x', id: '8_0' } }), stream('out')];
  apply(within, across);
  apply({ op: 'drop-database', name: 'o', id: state.database('o')?.id ?? '' });
  t.deepEqual(
    state.derivations.streams().map(({ name }) => name),
    ['in'],
  );
  apply({ op: 'drop-database', name: 'd', id: state.database('d')?.id ?? '' });
  t.deepEqual(state.derivations.streams(), []);
});

test('TSMAs are kept by database and go with their table', (t) => {
  const { state, apply } = world();
  t.deepEqual(apply(tsma('a'), tsma('a'), tsma('b', ['v'], 'nothing')), [undefined, 0x0480, 0x2603]);
  t.like(state.derivations.tsma('d', 'a'), { table: 'm', interval: '1m', created: at });
  t.deepEqual(apply({ op: 'drop-tsma', database: 'd', name: 'b' }), [0x0481]);
  apply({ op: 'drop-table', database: 'd', name: 'm', id: state.table('d', 'm')?.id ?? '' });
  t.deepEqual(state.derivations.tsmas('d'), []);
});

test('a column that a TSMA is made of can neither be dropped nor renamed', (t) => {
  const { apply } = world();
  apply(tsma('a'));
  const alter = { op: 'alter-table', database: 'd', name: 'm' } as const;
  const results = apply(
    { ...alter, change: { kind: 'drop-column', name: 'v' } },
    { ...alter, change: { kind: 'rename-column', from: 'v', to: 'x' } },
    { ...alter, change: { kind: 'drop-column', name: 'w' } },
    { op: 'drop-tsma', database: 'd', name: 'a' },
    { ...alter, change: { kind: 'rename-column', from: 'v', to: 'x' } },
  );
  t.deepEqual(results, [0x03c8, 0x03c8, undefined, undefined, undefined]);
});
