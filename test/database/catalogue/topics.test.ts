import test from 'ava';
import type { Operation } from '../../../src/database/catalogue/operations.js';
import { CatalogueState } from '../../../src/database/catalogue/state.js';
import { dataType } from '../../../src/model/schema.js';

let position = 0;

/** Applies operations one by one; gives their codes, 0 where there was no fault. */
function apply(state: CatalogueState, ...operations: readonly Operation[]): number[] {
  return operations.map((operation) => {
    position += 1;
    return state.apply({ position, at: position, key: '', operations: [operation] })[0]?.code ?? 0;
  });
}

const database: Operation = { op: 'create-database', name: 'd', precision: 'ms', keepDays: 10, options: {} };
const table: Operation = {
  op: 'create-table',
  database: 'd',
  name: 'm',
  kind: 'super',
  timeColumn: 'ts',
  columns: ['v', 'w'].map((name) => ({ name, type: dataType('INT') })),
  tags: ['g', 'h'].map((name) => ({ name, type: dataType('INT') })),
  comment: undefined,
  ttl: 0,
};

function topic(name: string, columns: readonly string[]): Operation {
  const source = { kind: 'query', text: '', table: 'm1', parent: 'm', columns, current: undefined } as const;
  const common = { statement: '', schema: '', meta: false, zone: 'UTC', user: 'root' };
  return { op: 'create-topic', name, database: 'd', source, ...common };
}

test('what a topic is over stays until the topic is dropped', (t) => {
  const state = new CatalogueState();
  apply(state, database, table);
  const [id, tableId] = [state.database('d')!.id, state.table('d', 'm')!.id];
  const change = (kind: 'drop-column' | 'drop-tag', name: string): Operation => {
    return { op: 'alter-table', database: 'd', name: 'm', change: { kind, name } };
  };
  const drops: Operation[] = [
    { op: 'drop-table', database: 'd', name: 'm', id: tableId },
    { op: 'drop-database', name: 'd', id },
  ];
  t.deepEqual(apply(state, topic('x', ['v', 'g']), topic('x', [])), [0, 0x03e0]);
  t.deepEqual(apply(state, change('drop-column', 'v'), change('drop-tag', 'g')), [0x03c4, 0x03c4]);
  t.deepEqual(apply(state, ...drops), [0x03ed, 0x03ed]);
  t.deepEqual(apply(state, change('drop-column', 'w'), change('drop-tag', 'h')), [0, 0]);
  t.deepEqual(apply(state, { op: 'drop-topic', name: 'x' }, { op: 'drop-topic', name: 'x' }), [0, 0x03e1]);
  t.deepEqual(apply(state, ...drops), [0, 0]);
});

test('a topic made anew under a name has an id and rights of its own', (t) => {
  const state = new CatalogueState();
  apply(state, database, table, topic('x', []));
  const { id } = state.topics.topic('x')!;
  const grant: Operation = { op: 'grant-topic', name: 'x', user: 'ann' };
  t.deepEqual(apply(state, grant), [0]);
  t.true(state.topics.isGranted('x', 'ann'));
  apply(state, { op: 'drop-topic', name: 'x' }, topic('x', []));
  t.not(state.topics.topic('x')!.id, id);
  t.false(state.topics.isGranted('x', 'ann'));
  apply(state, grant, { op: 'create-user', name: 'ann', passwordHash: '' }, { op: 'drop-user', name: 'ann' });
  t.false(state.topics.isGranted('x', 'ann'));
  t.deepEqual(apply(state, { op: 'grant-topic', name: 'y', user: 'ann' }), [0x03e1]);
});
