import test from 'ava';
import fc from 'fast-check';
import type { EarlierGroup } from '../../../src/model/batch.js';
import { type ColumnBlock, tableKey } from '../../../src/model/column-block.js';
import { Codes, FaultError, fault } from '../../../src/model/fault.js';
import type { BlockOfPayloads } from '../../../src/pipelines/write/in-flight.js';
import { mergeLines } from '../../../src/pipelines/write/merging.js';
import { refusedNow } from '../../../src/pipelines/write/payload-reader.js';
import { Replay, type ReplayContext } from '../../../src/pipelines/write/replay.js';
import { runsOf } from '../../../src/pipelines/write/runs.js';
import { parseTelnet } from '../../../src/transforms/parse/telnet.js';
import type { LoggedPayload } from '../../../src/wal/record.js';
import type { RejectedRows } from '../../../src/wal/rejected-rows.js';
import { LineProtocolDesk, type ReadRow, superTable } from '../../support/messages/line-protocol.js';

const target = { database: 'demo', user: 'root', createDatabase: false, ttl: 0, precision: 'ns' } as const;
const segment = { number: 1, path: '', size: 0, open: 0 };
/** Ticks of now in the first text. */
const firstNow = 1_000_000;

function textOf(sequence: number, content: string): LoggedPayload {
  return {
    ...target,
    sequence,
    origin: 'lineproto',
    format: 'lineproto',
    part: { first: true, last: true },
    isWithin: true,
    receivedMicros: BigInt(firstNow + sequence),
    nowNs: 0n,
    zone: '',
    rejectedRows: 0,
    bytes: Buffer.from(content),
  };
}

/** Facts in the log about texts: pairs of table and text that have ended, and groups of pairs. */
interface Noted {
  readonly ended: ReadonlyMap<string, ReadonlySet<number>>;
  readonly groups: ReadonlyMap<string, ReadonlyMap<number, EarlierGroup>>;
}

const nothing: Noted = { ended: new Map(), groups: new Map() };

/** Replays texts with the real parser; tells what was handed on and rejected, and how often texts were read. */
async function replayed(texts: readonly LoggedPayload[], noted = nothing, desk = new LineProtocolDesk()) {
  const blocks: BlockOfPayloads[] = [];
  const rejected: RejectedRows[] = [];
  const ended: number[] = [];
  let reads = 0;
  const payloadOf = ({ blocks: own, rejectedRows, rejects }: ReturnType<LineProtocolDesk['parse']>) => {
    reads++;
    return { kind: 'rows', blocks: own, rejectedRows, rejects } as const;
  };
  const context = {
    wal: {
      ended: ({ offset }: { readonly offset: number }) => ended.push(offset),
      recovered: { ended: noted.ended },
    },
    rejected: { add: async (one: RejectedRows) => rejected.push(one) > 0 },
    inFlight: { add: (_: unknown, __: unknown, own: readonly BlockOfPayloads[]) => blocks.push(...own) },
    read: async (text: LoggedPayload) => {
      const payload = payloadOf(desk.parse(text.bytes, { nowTicks: text.receivedMicros }));
      return { target, payload, refused: refusedNow(text, payload) };
    },
    readTogether: async (all: readonly LoggedPayload[]) => {
      const { bytes, ends } = mergeLines(all.map((text) => text.bytes));
      const marks = all.map(({ receivedMicros }, i) => ({ end: ends[i]!, times: { nowTicks: receivedMicros } }));
      const parsed = desk.parse(bytes, { ...marks[0]!.times, texts: marks });
      return { target, payload: payloadOf(parsed), joined: parsed.joined! };
    },
    isDefined: ({ table }: ColumnBlock) => desk.tables.has(table),
    earlierGroupOf: (block: ColumnBlock, sequence: number) => noted.groups.get(tableKey(block))?.get(sequence),
  };
  // Only what a replay uses of its surroundings is there.
  const replay = new Replay(context as unknown as ReplayContext);
  const all = texts.map((text) => ({ text, place: { segment, offset: text.sequence, length: 1 } }));
  for (const run of runsOf(all)) await replay.take(run);
  const rows = (some: readonly BlockOfPayloads[]): ReadRow[] =>
    some.flatMap(({ block }) =>
      desk.rows({
        blocks: [block],
        rows: 0,
        lines: 0,
        rejects: [],
        rejectedRows: 0,
        usesNow: true,
        leftOut: 0,
        described: [],
      }),
    );
  return { blocks, rejected, ended, rows, reads: () => reads };
}

function deskWith(tables: readonly string[]): LineProtocolDesk {
  const desk = new LineProtocolDesk();
  for (const table of tables) desk.tables.set(table, superTable(table, { v: ['DOUBLE'] }, ['a']));
  return desk;
}

const tables = ['one', 'two', 'three'] as const;
const line = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .tuple(fc.constantFrom(...tables), fc.nat(5), fc.nat(9))
      .map(([m, v, time]) => `${m},a=x v=${v} ${time + 10}`),
  },
  { weight: 4, arbitrary: fc.constantFrom(...tables).map((m) => `${m},a=x v=1`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '# a comment',
      'bad',
      'one v="torn',
      'unknown,a=x v=1 5',
      'one,a=x v=true 7',
      'one,a=y v=1 9\\',
    ),
  },
);
const text = fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n'));
const fates = fc.array(fc.tuple(fc.constantFrom(...tables), fc.nat(30), fc.constantFrom('ended', 7, 8)), {
  maxLength: 30,
});

test('neighbours in the log give the rows of each of them, under its own number and with its own time', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 30 }), fates, async (contents, notes) => {
      const ended = new Map<string, Set<number>>();
      const groups = new Map<string, Map<number, EarlierGroup>>();
      for (const [table, place, fate] of notes) {
        const key = tableKey({ database: 'demo', table });
        if (fate === 'ended') ended.set(key, (ended.get(key) ?? new Set()).add(place + 1));
        else groups.set(key, (groups.get(key) ?? new Map()).set(place + 1, { group: fate, pairs: 1 }));
      }
      const texts = contents.map((content, i) => textOf(i + 1, content));
      const together = await replayed(texts, { ended, groups }, deskWith(tables));
      const expected = new Map<string, unknown[]>();
      const alone = deskWith(tables);
      for (const { sequence, bytes, receivedMicros } of texts) {
        for (const row of alone.read(bytes, { nowTicks: receivedMicros })) {
          const key = tableKey({ database: 'demo', table: row.table });
          if (ended.get(key)?.has(sequence)) continue;
          expected.set(row.table, [...(expected.get(row.table) ?? []), row]);
        }
      }
      const rowsOf = new Map<string, unknown[]>();
      for (const one of together.blocks) {
        const { table } = one.block;
        rowsOf.set(table, [...(rowsOf.get(table) ?? []), ...together.rows([one])]);
        const key = tableKey(one.block);
        const own = one.records.map(({ sequence }) => groups.get(key)?.get(sequence)?.group);
        t.is(new Set(own).size, 1, 'rows of several groups');
        for (const { sequence } of one.records) {
          const { bytes } = texts[sequence - 1]!;
          t.true(
            new LineProtocolDesk().read(bytes).some((row) => row.table === table),
            'a text without rows of the table',
          );
        }
      }
      t.deepEqual(rowsOf, expected);
    }),
    { numRuns: 300 },
  );
});

test('a thousand texts of one line are read at once', async (t) => {
  const texts = Array.from({ length: 1_000 }, (_, i) => textOf(i + 1, `${tables[i % 3]},a=x v=1 ${i + 10}`));
  const { blocks, reads } = await replayed(texts, nothing, deskWith(tables));
  t.is(reads(), 1);
  t.deepEqual(
    blocks.map(({ block, records }) => [block.table, block.rows, records.length]),
    [
      ['one', 334, 334],
      ['two', 333, 333],
      ['three', 333, 333],
    ],
  );
  t.deepEqual(
    blocks[1]!.records.slice(0, 2).map(({ sequence }) => sequence),
    [2, 5],
  );
});

test('texts that came more than 100 ms apart are not read as one, because their rows have one time of receipt', (t) => {
  const run = (...times: readonly number[]) =>
    runsOf(
      times.map((time, i) => ({
        text: { ...textOf(i + 1, 'one,a=x v=1'), receivedMicros: BigInt(time) },
        place: { segment, offset: i, length: 1 },
      })),
    ).map(({ length }) => length);
  t.deepEqual(run(0, 50_000, 100_000, 100_001, 150_000), [3, 2]);
  t.deepEqual(run(100, 50, 60), [1, 2], 'a clock that was set back');
});

test('a line that was good when it was answered, and is not now, goes to the file of rejected rows', async (t) => {
  const texts = [
    textOf(1, 'one,a=x v=1 10'),
    textOf(2, 'one,a=x v=true 11\none,a=x v=2 12'),
    textOf(3, 'one,a=x v=3 13'),
  ];
  const now = await replayed(texts, nothing, deskWith(tables));
  t.deepEqual(
    now.rejected.map(({ text: { sequence }, rows }) => [sequence, rows]),
    [[2, 1]],
  );
  t.regex(now.rejected[0]!.fault.message, /is BOOL, but the column/);
  t.is(now.rows(now.blocks).length, 3);
  const reported = texts.map((one) => (one.sequence === 2 ? { ...one, rejectedRows: 1 } : one));
  t.deepEqual((await replayed(reported, nothing, deskWith(tables))).rejected, [], 'its sender knows of it');
});

test('texts of the telnet format are read as one, too, with the time of each', (t) => {
  const desk = new LineProtocolDesk('ns', parseTelnet);
  const lines = ['put m 0 1 a=x\n', 'put m 1700000000 2 a=x', 'put m 0 3 a=x\nbad\n', '\n'].map((one) =>
    Buffer.from(one),
  );
  const { bytes, ends } = mergeLines(lines);
  const texts = ends.map((end, i) => ({ end, times: { nowTicks: BigInt(firstNow + i) } }));
  const parsed = desk.parse(bytes, { ...texts[0]!.times, texts });
  t.deepEqual(
    desk.rows(parsed).map(({ time }) => time),
    [BigInt(firstNow), 1_700_000_000_000_000_000n, BigInt(firstNow + 2)],
  );
  t.deepEqual(parsed.joined?.texts, [[0, 1, 2]]);
  t.deepEqual(parsed.joined?.rows, [
    { firstLine: 0, rows: 1, rejectedRows: 0 },
    { firstLine: 1, rows: 1, rejectedRows: 0 },
    { firstLine: 2, rows: 1, rejectedRows: 1 },
    { firstLine: 4, rows: 0, rejectedRows: 0 },
  ]);
  t.deepEqual(parsed.joined?.rejectTexts, [2]);
  t.false(parsed.joined?.isTorn);
});

test('a database that refuses texts refuses each of them', async (t) => {
  const desk = deskWith(tables);
  desk.parse = () => {
    throw new FaultError(fault('parameter', Codes.databaseNotExist, 'no such database'));
  };
  const { rejected, ended } = await replayed([textOf(1, 'one,a=x v=1'), textOf(2, 'one,a=x v=2')], nothing, desk);
  t.deepEqual(
    rejected.map(({ text: { sequence } }) => sequence),
    [1, 2],
  );
  t.deepEqual(ended, [1, 2]);
});
