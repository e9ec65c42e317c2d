import test from 'ava';
import { Catalogue } from '../../../src/database/catalogue/catalogue.js';
import { Changes } from '../../../src/database/store/changes.js';
import { Storage } from '../../../src/database/store/storage.js';
import { dataType } from '../../../src/model/schema.js';
import { printExpr } from '../../../src/sql/engine/print.js';
import { writtenAt, writtenBetween } from '../../../src/sql/engine/storage.js';
import { silentLog } from '../../support/engine/engine.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';

const { client, end } = await sharedEngine();
const catalogue = new Catalogue(client, silentLog);
const storage = new Storage(client, catalogue);
const changes = new Changes(client, storage);
test.before(async () => {
  await catalogue.submit([
    { op: 'create-database', name: 'd', precision: 'ms', keepDays: 36500, options: {} },
    ...['merged', 'racing', 'cut', 'deleted'].map((name) => ({
      op: 'create-table' as const,
      database: 'd',
      name,
      kind: 'super' as const,
      timeColumn: 'ts',
      columns: [{ name: 'v', type: dataType('INT') }],
      tags: [{ name: 'g', type: dataType('INT') }],
      comment: undefined,
      ttl: 0,
    })),
  ]);
});
test.after.always(end);

async function tableOf(name: string) {
  const [database, table] = [catalogue.database('d')!, catalogue.table('d', name)!];
  await storage.ensure(database, table);
  const column = table.columns[0]!.physical;
  const insert = (rows: string): Promise<void> =>
    client.exec(`INSERT INTO ${table.storage} (id, ts, ${column}) VALUES ${rows}`);
  const between = async (after: number, upTo: number): Promise<string[]> => {
    const rows = await client.rows(
      `SELECT toString(id), ts, ${column} FROM ${table.storage} WHERE ${printExpr(writtenBetween('', { order: 'inserts', after, upTo }))}
       ORDER BY ${printExpr(writtenAt('', 'inserts'))}, id, ts`,
    );
    return rows.map((row) => row.join(' '));
  };
  return { database, table, insert, between };
}

test('merged rows count as written when they were written, and an overwritten row again', async (t) => {
  const { database, table, insert, between } = await tableOf('merged');
  const daysLater = 86_400_000 * 4000;
  await insert(`(1, 1, 10), (2, ${daysLater}, 20)`);
  await insert('(1, 2, 11)');
  await client.exec(`OPTIMIZE TABLE ${table.storage} FINAL`);
  await changes.track(database, table);
  const old = await changes.latest(table);
  t.deepEqual(await between(0, old), ['1 1 10', '1 2 11', `2 ${daysLater} 20`]);
  t.deepEqual(await changes.since(table, old, 10), []);

  await insert('(1, 3, 12)');
  await insert(`(1, 1, 13), (2, ${daysLater}, 21)`);
  const seen = await changes.latest(table);
  await insert('(1, 4, 14)');
  const after = ['1 3 12', '1 1 13', `2 ${daysLater} 21`];
  t.deepEqual(await between(old, seen), after);
  await client.exec(`OPTIMIZE TABLE ${table.storage} FINAL`);
  t.deepEqual(await between(old, seen), after);
  t.deepEqual(await between(0, old), ['1 2 11']);
  t.deepEqual(await between(seen, await changes.latest(table)), ['1 4 14']);
});

test('what was written is cut into pieces between inserts', async (t) => {
  const { database, table, insert } = await tableOf('cut');
  await changes.track(database, table);
  for (let at = 0; at < 5; at++) await insert(`(1, ${at}, 1), (2, ${at}, 1)`);
  const pieces = await changes.since(table, 0, 4);
  t.deepEqual(
    pieces.map(({ rows }) => rows),
    [4, 4, 2],
  );
  t.deepEqual(pieces.map(({ after }) => after).slice(1), pieces.map(({ upTo }) => upTo).slice(0, -1));
  t.is(pieces.at(-1)?.upTo, await changes.latest(table));
  const half = await changes.since(table, pieces[1]!.upTo, 100, 'id = 2');
  t.deepEqual(half, [{ order: 'inserts', after: pieces[1]!.upTo, upTo: pieces[2]!.upTo, rows: 1 }]);
});

test('deleted rows are not among what was written, and the others stay where they were', async (t) => {
  const { database, table, insert, between } = await tableOf('deleted');
  await changes.track(database, table);
  await insert('(1, 1, 1), (1, 2, 2)');
  const first = await changes.latest(table);
  await insert('(1, 3, 3), (1, 4, 4)');
  await client.exec(`DELETE FROM ${table.storage} WHERE ts IN (2, 3)`);
  const last = await changes.latest(table);
  t.deepEqual(await between(0, first), ['1 1 1']);
  t.deepEqual(await between(first, last), ['1 4 4']);
  await insert('(1, 5, 5)');
  await client.exec(`OPTIMIZE TABLE ${table.storage} FINAL`);
  t.deepEqual(await between(first, last), ['1 4 4']);
  t.deepEqual(await between(last, await changes.latest(table)), ['1 5 5']);
});

test('a reader that follows concurrent writers misses nothing and reads nothing twice', async (t) => {
  const { database, table, insert, between } = await tableOf('racing');
  await changes.track(database, table);
  const [writers, inserts] = [4, 20];
  let writing = true;
  const write = async (writer: number): Promise<void> => {
    for (let at = 0; at < inserts; at++) {
      const daysLater = 86_400_000 * 400 * (at % 5);
      await insert(`(${writer}, ${daysLater + at}, ${at}), (${writer + 100}, ${daysLater + at}, ${at})`);
    }
  };
  const read: string[] = [];
  const follow = async (): Promise<void> => {
    let place = 0;
    for (;;) {
      const last = !writing;
      for (const { after, upTo } of await changes.since(table, place, 7)) {
        t.is(after, place);
        read.push(...(await between(after, upTo)));
        place = upTo;
      }
      if (last) return;
    }
  };
  const writes = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer))).then(() => {
    writing = false;
  });
  await Promise.all([writes, follow()]);
  t.is(read.length, writers * inserts * 2);
  t.is(new Set(read).size, read.length);
  for (let id = 0; id < writers; id++) {
    const values = read.filter((row) => row.startsWith(`${id} `)).map((row) => Number(row.split(' ')[2]));
    t.deepEqual(
      values,
      Array.from({ length: inserts }, (_, at) => at),
      `of ${id}, in the order written`,
    );
  }
});
