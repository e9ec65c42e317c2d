import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Subject } from 'rxjs';
import type { Batch, BlockGroup, RowSet } from '../../../src/model/batch.js';
import { tableKey } from '../../../src/model/column-block.js';
import { delivered } from '../../../src/model/delivery.js';
import { Codes, FaultError, fault } from '../../../src/model/fault.js';
import { GroupCommit } from '../../../src/pipelines/commit/group-commit.js';
import { LoggedQueue } from '../../../src/pipelines/write/logged-queue.js';
import type { LoggedRecord, WriteAheadLog } from '../../../src/wal/log.js';
import type { LoggedPayload } from '../../../src/wal/record.js';
import { RejectedRowsFile } from '../../../src/wal/rejected-rows.js';
import { blockOf, int, recordedBatch } from '../../support/blocks/blocks.js';
import { loggedPayload, logIn, silent } from '../../support/blocks/write-log.js';
import { until } from '../../support/until.js';

test('rejected rows stay in the log until they are in the file of rejected rows, others of their group do not', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'sluice-log-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, 'no-directory'), '');
  const wal = logIn(root);
  const rejected = new RejectedRowsFile(join(root, 'no-directory', 'rejected.jsonl'), silent);
  const read = () => Promise.reject(new Error('nothing is read back here'));
  const reading = { read, readTogether: read, isDefined: () => true };
  const stage = new LoggedQueue({ wal, rejected, maxWaitingBytes: 1e9, ...reading });
  const limits = { workers: 2, maxRows: 10, maxBytes: 1e9, batchSize: 1, flushIntervalMs: 60_000 };
  const commit = new GroupCommit(limits, () => 'one place', stage);
  const input = new Subject<Batch<RowSet>>();
  const answered: string[] = [];
  const subscription = input.pipe(stage.operator(), commit.operator()).subscribe((group) => {
    const refused = fault('parameter', Codes.free, 'the table has another type now');
    const apart = new Map([[0, { outcome: 'rejected', fault: refused } as const]]);
    group.settle({ outcome: 'delivered', rows: 1, rejectedRows: 0, rejects: [], apart });
  });
  t.teardown(() => subscription.unsubscribe());
  for (const table of ['refused', 'taken']) {
    const block = blockOf(table, { v: int }, [[1n, 1n, { v: 1 }]]);
    const text = { format: 'lineproto', bytes: Buffer.from(`${table} v=1i`) } as const;
    const payload: RowSet = { kind: 'rows', blocks: [block], text, rejectedRows: 0, rejects: [] };
    input.next({ ...recordedBatch(block), payload, settle: ({ outcome }) => answered.push(outcome) });
  }
  t.true(await until(() => answered.length === 2));
  t.true(await until(() => wal.open === 1));
  await wal.flushed();
  await rejected.close();
  await wal.close();
  const { recovered } = logIn(root);
  t.is(recovered.texts, 2);
  t.deepEqual(
    [...recovered.ended.keys()].map((key) => key.includes('taken')),
    [true],
    'the rejected one has not ended',
  );
});

test('rows wait while the database makes tables for those before them, and are left in the log when it does not', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'sluice-log-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const wal = logIn(root);
  const rejected = new RejectedRowsFile(join(root, 'rejected.jsonl'), silent);
  const read = () => new Promise<never>(() => undefined);
  const reading = { read, readTogether: read, isDefined: () => true };
  const stage = new LoggedQueue({ wal, rejected, maxWaitingBytes: 1, ...reading });
  const limits = { workers: 2, maxRows: 10, maxBytes: 1e9, batchSize: 1, flushIntervalMs: 60_000 };
  const commit = new GroupCommit(limits, () => 'one place', stage);
  const input = new Subject<Batch<RowSet>>();
  const groups: Batch<BlockGroup>[] = [];
  const subscription = input.pipe(stage.operator(), commit.operator()).subscribe((group) => groups.push(group));
  t.teardown(() => subscription.unsubscribe());
  let answers = 0;
  for (const value of [1, 2]) {
    const block = blockOf('m', { v: int }, [[1n, 1n, { v: value }]]);
    const text = { format: 'lineproto', bytes: Buffer.from(`m v=${value}i`) } as const;
    const payload: RowSet = { kind: 'rows', blocks: [block], text, rejectedRows: 0, rejects: [] };
    input.next({ ...recordedBatch(block), payload, settle: () => answers++ });
  }
  t.true(await until(() => groups.length === 1));
  const begun = performance.now();
  const isOver = (): boolean => {
    groups[0]!.payload.progressed?.();
    return performance.now() - begun > 1_500;
  };
  t.true(await until(isOver));
  t.is(answers, 1);
  t.true(await until(() => answers === 2));
});

function appended(wal: WriteAheadLog, table: string): Promise<LoggedRecord> {
  return new Promise((resolve, reject) => {
    wal.append(loggedPayload(table), (result) => ('kind' in result ? reject(new FaultError(result)) : resolve(result)));
  });
}

/** A stage over a log in a directory, and a way to give it a line; groups are stored as `store` says. */
function staged(
  t: ExecutionContext,
  root: string,
  wal: WriteAheadLog,
  maxWaitingBytes: number,
  store: (group: Batch<BlockGroup>) => void,
) {
  const rejected = new RejectedRowsFile(join(root, 'rejected.jsonl'), silent);
  const read = async ({ bytes }: LoggedPayload) => {
    const block = blockOf(Buffer.from(bytes).toString(), { v: int }, [[1n, 1n, { v: 1 }]]);
    return {
      target: recordedBatch(block).target,
      payload: { kind: 'rows', blocks: [block], rejectedRows: 0, rejects: [] },
      refused: [],
    } as const;
  };
  const readTogether = (): Promise<never> => Promise.reject(new FaultError(fault('parameter', Codes.free, 'apart')));
  const reading = { read, readTogether, isDefined: () => true };
  const stage = new LoggedQueue({ wal, rejected, maxWaitingBytes, ...reading });
  const limits = { workers: 2, maxRows: 10, maxBytes: 1e9, batchSize: 1, flushIntervalMs: 10 };
  const commit = new GroupCommit(limits, tableKey, stage);
  const input = new Subject<Batch<RowSet>>();
  const errors: unknown[] = [];
  const chain = input.pipe(stage.operator(), commit.operator());
  const subscription = chain.subscribe({ next: store, error: (error) => errors.push(error) });
  t.teardown(() => subscription.unsubscribe());
  const answers: string[] = [];
  const write = (table: string): void => {
    const block = blockOf(table, { v: int }, [[1n, 1n, { v: 1 }]]);
    const text = { format: 'lineproto', bytes: Buffer.from(table) } as const;
    const payload: RowSet = { kind: 'rows', blocks: [block], text, rejectedRows: 0, rejects: [] };
    input.next({ ...recordedBatch(block), payload, settle: ({ outcome }) => answers.push(outcome) });
  };
  const lines = (): readonly Record<string, unknown>[] => {
    const content = existsSync(rejected.path) ? readFileSync(rejected.path, 'utf8') : '';
    return content.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  };
  return { stage, write, answers, errors, lines };
}

function tablesOf({ payload }: Batch<BlockGroup>): readonly string[] {
  return payload.blocks.map(({ table }) => table);
}

function scratchFor(t: ExecutionContext): string {
  const root = mkdtempSync(join(tmpdir(), 'sluice-log-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

test('texts that are in the log alone are read once its file can be read again', async (t) => {
  const root = scratchFor(t);
  const first = logIn(root);
  for (const table of ['a', 'b']) await appended(first, table);
  await first.close();
  const wal = logIn(root);
  const { path } = wal.recovered.segments[0]!;
  renameSync(path, `${path}.away`);
  // Reading a directory fails with EISDIR.
  mkdirSync(path);
  const stored: string[] = [];
  const { stage, errors, lines } = staged(t, root, wal, 1e9, (group) => {
    stored.push(...tablesOf(group));
    group.settle(delivered(1));
  });
  const error = await t.throwsAsync<FaultError>(stage.caughtUp('all')!, { instanceOf: FaultError });
  t.regex(error.message, /^The write-ahead log cannot be read: EISDIR/);
  rmdirSync(path);
  renameSync(`${path}.away`, path);
  t.true(await until(() => stored.length === 2 && !stage.isBehind));
  t.deepEqual([stored.toSorted(), errors, lines()], [['a', 'b'], [], []]);
  await wal.close();
});

test('a damaged text is named in the file of rejected rows, and those around it are stored', async (t) => {
  const root = scratchFor(t);
  const first = logIn(root);
  const records = [];
  for (const table of ['a', 'b', 'c']) records.push(await appended(first, table));
  await first.close();
  const { place } = records[1]!;
  const bytes = readFileSync(place.segment.path);
  bytes[place.offset + place.length - 1]! ^= 1;
  writeFileSync(place.segment.path, bytes);
  const wal = logIn(root);
  const stored: string[] = [];
  const { stage, errors, lines } = staged(t, root, wal, 1e9, (group) => {
    stored.push(...tablesOf(group));
    group.settle(delivered(1));
  });
  t.true(await until(() => stored.length === 2 && !stage.isBehind && lines().length === 1 && wal.open === 0));
  t.deepEqual([stored.toSorted(), errors], [['a', 'c'], []]);
  t.true(String(lines()[0]!.reason).includes(`${place.length} bytes at ${place.segment.path}:${place.offset}`));
  await wal.close();
});

test('rows that are refused after their answer are named also where the log has lost their text', async (t) => {
  const root = scratchFor(t);
  const wal = logIn(root);
  const groups: Batch<BlockGroup>[] = [];
  const { write, answers, errors, lines } = staged(t, root, wal, 1e9, (group) => groups.push(group));
  write('m');
  t.true(await until(() => groups.length === 1 && answers.length === 1));
  const [file = ''] = readdirSync(wal.path).filter((name) => name.endsWith('.wal'));
  rmSync(join(wal.path, file));
  groups[0]!.settle({ outcome: 'rejected', fault: fault('parameter', Codes.free, 'the table has another type now') });
  t.true(await until(() => lines().length === 1 && wal.open === 0));
  const [line] = lines();
  t.is(line?.table, 'm');
  t.is(line?.rows, 1);
  t.regex(
    String(line?.reason),
    /^the table has another type now\. The text of the rows is lost: .* \(the file is gone\)$/,
  );
  t.deepEqual(errors, []);
  await wal.close();
});

test('a defect while the log is read ends the chain', async (t) => {
  const root = scratchFor(t);
  const first = logIn(root);
  await appended(first, 'a');
  await first.close();
  const wal = logIn(root);
  const defect = new TypeError('a defect');
  const next = wal.next.bind(wal);
  wal.next = async (...options) => {
    await next(...options);
    throw defect;
  };
  const { errors } = staged(t, root, wal, 1e9, () => undefined);
  t.true(await until(() => errors.length === 1));
  await wal.close();
});
