import test from 'ava';
import { groupBatches } from '../../src/model/batch.js';
import type { ColumnBlock } from '../../src/model/column-block.js';
import type { DataType } from '../../src/model/schema.js';
import { blockOf, double, recordedBatch, varchar } from '../support/blocks/blocks.js';
import { makeSink, type Rig, secondWriter } from '../support/blocks/database-sink.js';
import { sharedEngine } from '../support/engine/shared-engine.js';

const engine = await sharedEngine();
test.after.always(engine.end);
const make = (how?: { countsLog: boolean }): Promise<Rig> => makeSink(engine, how);

test.serial('tables that share their storage are written with one insert, and each answers for itself', async (t) => {
  const rig = await make();
  const database = rig.catalogue.database('db')!;
  const inserts = async () => {
    const [row] = await rig.client.rows("SELECT toUInt32(value) FROM system.events WHERE event = 'InsertQuery'");
    return Number(row?.[0] ?? 0);
  };
  const soon = () => AbortSignal.timeout(60_000);
  const tables = Array.from({ length: 120 }, (_, i) => `m${i}`);
  const group = (time: bigint, bad: DataType | undefined) =>
    groupBatches(
      tables.map((table, i) => {
        const subTable = rig.subTables.make(database, table, `${table}_s`, new Map([['site', table]]), 0);
        const columns = { v: i === 7 && bad !== undefined ? bad : double };
        const block = blockOf(table, columns, [[subTable.id, time, { v: i }]], 'keep');
        return recordedBatch({ ...block, newSubTables: subTable.registered ? [] : [subTable] });
      }),
    );
  const before = await inserts();
  t.is((await rig.sink.write(group(1n, undefined), soon())).outcome, 'delivered');
  // Two entries of the log, tags and names of the sub-tables at most in a few pieces, the rows.
  t.true((await inserts()) - before < 10);
  const ending = await rig.sink.write(group(2n, varchar), soon());
  t.is(ending.outcome, 'delivered');
  if (ending.outcome !== 'delivered') return;
  t.is(ending.rows, 119);
  t.deepEqual([...(ending.apart?.keys() ?? [])], [7]);
  t.is(ending.apart?.get(7)?.outcome, 'rejected');
  const { storage, tagStorage } = rig.catalogue.table('db', 'm0')!;
  const { number } = rig.catalogue.table('db', 'm7')!;
  const [counted] = await rig.client.rows(
    `SELECT toUInt32(count()), toUInt32(uniqExact(t)), toUInt32(countIf(t = ${number})) FROM ${storage} FINAL`,
  );
  t.deepEqual(counted, [239, 120, 1]);
  t.deepEqual(await rig.client.rows(`SELECT toUInt32(uniqExact(t, id, name)) FROM ${tagStorage} FINAL`), [[120]]);
  await rig.end();
});

test.serial(
  'tables with the same columns are written with one insert but for the first of them, by any writer',
  async (t) => {
    const rig = await make();
    const other = await secondWriter(rig);
    const database = rig.catalogue.database('db')!;
    const inserts = async () => {
      const [row] = await rig.client.rows("SELECT toUInt32(value) FROM system.events WHERE event = 'InsertQuery'");
      return Number(row?.[0] ?? 0);
    };
    const columns = { low: double, high: double };
    const tables = Array.from({ length: 40 }, (_, i) => `timer${i}`);
    const write = (writer: Pick<Rig, 'sink' | 'subTables'>, time: bigint) => {
      const batches = tables.map((table, i) => {
        const subTable = writer.subTables.make(database, table, `${table}_s`, new Map([['site', table]]), 0);
        const block = blockOf(table, columns, [[subTable.id, time, { low: i, high: Number(time) }]], 'keep');
        return recordedBatch({ ...block, newSubTables: subTable.registered ? [] : [subTable] });
      });
      return writer.sink.write(groupBatches(batches), AbortSignal.timeout(60_000));
    };
    // Both make the tables at once.
    const endings = await Promise.all([write(rig, 1n), write(other, 2n)]);
    t.deepEqual(
      endings.map(({ outcome }) => outcome),
      ['delivered', 'delivered'],
    );
    const before = await inserts();
    t.is((await write(rig, 3n)).outcome, 'delivered');
    t.is((await inserts()) - before, 2);
    // Each grows a column of its own type at the other writer, while this one goes on with what it knows.
    const grow = (table: string, type: DataType, cell: number | string) =>
      other.sink.write(
        other.batchOf(blockOf(table, { ...columns, extra: type }, [[9n, 9n, { low: 1, extra: cell }]], 'keep')),
        AbortSignal.timeout(60_000),
      );
    const later = await Promise.all([grow('timer7', double, 7), grow('timer8', varchar, 'x'), write(rig, 4n)]);
    t.true(later.every(({ outcome }) => outcome === 'delivered'));
    await rig.catalogue.sync();
    const rowsOf = async (name: string) => {
      const { storage, number, columns: known } = rig.catalogue.table('db', name)!;
      const list = known.map(({ physical }) => physical).join(', ');
      const where = number === undefined ? '1' : `t = ${number}`;
      return rig.client.rows(`SELECT ${list} FROM ${storage} FINAL WHERE ${where} ORDER BY ts`);
    };
    const rows = (i: number, ...rest: readonly null[]) => [1, 2, 3, 4].map((time) => [i, time, ...rest]);
    t.deepEqual(await rowsOf('timer0'), rows(0));
    t.deepEqual(await rowsOf('timer7'), [...rows(7, null), [1, null, 7]]);
    t.deepEqual(await rowsOf('timer8'), [...rows(8, null), [1, null, 'x']]);
    t.deepEqual(await rowsOf('timer9'), rows(9));
    t.is(rig.catalogue.table('db', 'timer7')!.storage, rig.catalogue.table('db', 'timer9')!.storage);
    await rig.end();
  },
);

test.serial('a table that grows leaves those it shares its storage with as they are', async (t) => {
  const rig = await make();
  const write = (...blocks: readonly ColumnBlock[]) =>
    rig.sink.write(groupBatches(blocks.map(recordedBatch)), AbortSignal.timeout(60_000));
  const [a, b] = [
    blockOf('a', { v: double }, [[1n, 1n, { v: 1 }]], 'keep'),
    blockOf('b', { v: double }, [[1n, 1n, { v: 2 }]], 'keep'),
  ];
  t.is((await write(a, b)).outcome, 'delivered');
  // A row of the same series id and time in the other table, whose columns are others from now on.
  const grownA = blockOf('a', { w: double }, [[1n, 1n, { w: 3 }]], 'keep');
  const grownB = blockOf('b', { w: varchar }, [[1n, 1n, { w: 'x' }]], 'keep');
  t.is((await write(grownA, grownB, a)).outcome, 'delivered');
  const rows = async (name: string) => {
    const { storage, number, columns } = rig.catalogue.table('db', name)!;
    const list = columns.map(({ physical }) => physical).join(', ');
    return rig.client.rows(`SELECT ${list} FROM ${storage} FINAL WHERE t = ${number}`);
  };
  t.is(rig.catalogue.table('db', 'a')!.storage, rig.catalogue.table('db', 'b')!.storage);
  t.deepEqual([await rows('a'), await rows('b')], [[[1, 3]], [[2, 'x']]]);
  await rig.end();
});
