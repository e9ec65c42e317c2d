import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import { LogReader } from '../../../src/pipelines/write/log-reader.js';
import type { LoggedRecord, WriteAheadLog } from '../../../src/wal/log.js';
import type { LoggedPayload } from '../../../src/wal/record.js';
import { logIn } from '../../support/blocks/write-log.js';

interface Text {
  /** Left out, its rows may go to several databases. */
  readonly database: string | undefined;
  readonly bytes: number;
}

const databases = ['a', 'b', 'c'] as const;
const text: fc.Arbitrary<Text> = fc.record({
  database: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...databases) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  ),
  bytes: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constantFrom(70_000, 700_000)),
});
const tables = fc.oneof(
  fc.constant('all' as const),
  fc.uniqueArray(fc.record({ database: fc.constantFrom(...databases) }), { selector: (table) => table.database }),
);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('read' as const), tables }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('turn' as const), turns: fc.integer({ min: 1, max: 30 }) }) },
);

function append(wal: WriteAheadLog, { database, bytes }: Text): Promise<LoggedRecord> {
  const logged: Omit<LoggedPayload, 'sequence'> = {
    origin: 'sql',
    format: 'sql-insert',
    database: database ?? 'a',
    isWithin: database !== undefined,
    user: 'root',
    createDatabase: false,
    ttl: 0,
    precision: 'ns',
    part: undefined,
    receivedMicros: 1n,
    nowNs: 0n,
    zone: '',
    rejectedRows: 0,
    bytes: Buffer.alloc(bytes, 'x'),
  };
  return new Promise((resolve, reject) => {
    wal.append(logged, (result) => ('kind' in result ? reject(new Error(result.message)) : resolve(result)));
  });
}

test('whatever is waited for, each text is read once, those of a database in order, and readers see what was there', async (t) => {
  const run = async (
    before: readonly Text[],
    steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
  ) => {
    const root = mkdtempSync(join(tmpdir(), 'sluice-back-'));
    try {
      const first = logIn(root);
      for (const one of before) await append(first, one);
      await first.close();
      const wal = logIn(root);
      const home = new Map<number, string | undefined>(before.map(({ database }, i) => [i + 1, database]));
      const seen: number[] = [];
      let isOver = before.length === 0;
      const back: LogReader = new LogReader({
        wal,
        forward: async (texts) => {
          await turn();
          for (const { text: read } of texts) seen.push(read.sequence);
        },
        lost: (damage) => t.fail(damage.message),
        room: () => undefined,
        progressed: () => undefined,
        caughtUp: () => {
          isOver = true;
        },
      });
      if (!isOver) back.begin(wal.begin, wal.recovered.databases);
      const running = back.run();
      const readers: Promise<void>[] = [];
      const visible = (of: readonly (string | undefined)[] | 'all', upTo: number): void => {
        for (const [sequence, database] of home) {
          if (sequence > upTo || (of !== 'all' && database !== undefined && !of.includes(database))) continue;
          if (!seen.includes(sequence)) t.fail(`${sequence} of ${database} is not seen`);
        }
      };
      for (const one of steps) {
        if (one.do === 'turn') for (let i = 0; i < one.turns; i++) await turn();
        else if (one.do === 'write') {
          const { database } = one.text;
          const where = { database: database ?? 'a', isWithin: database !== undefined };
          const record = await append(wal, one.text);
          home.set(record.sequence, database);
          if (back.isBehind(where)) back.leave(where, record.place);
          else {
            if (database !== undefined) back.pass(database, record);
            seen.push(record.sequence);
          }
        } else {
          const upTo = home.size;
          const of = one.tables === 'all' ? one.tables : one.tables.map(({ database }) => database);
          const isEmpty = of.length === 0;
          readers.push(
            (back.seen(one.tables) ?? Promise.resolve()).then(() => (isEmpty ? undefined : visible(of, upTo))),
          );
        }
      }
      await running;
      await Promise.all(readers);
      t.true(isOver);
      t.deepEqual(
        [...seen].sort((a, b) => a - b),
        [...home.keys()],
      );
      for (const database of databases) {
        const own = seen.filter((sequence) => home.get(sequence) === database || home.get(sequence) === undefined);
        t.deepEqual(
          own,
          [...own].sort((a, b) => a - b),
          `in order: ${database}`,
        );
      }
      t.is(back.left.size, 0);
      await wal.close();
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 0, maxLength: 12 }), fc.array(step, { maxLength: 25 }), run),
    { numRuns: 60 },
  );
});
