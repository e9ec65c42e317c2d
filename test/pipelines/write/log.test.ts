import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { Subject } from 'rxjs';
import type { Batch, BlockGroup, RowSet } from '../../../src/model/batch.js';
import { Codes, fault } from '../../../src/model/fault.js';
import { GroupCommit } from '../../../src/pipelines/batch.js';
import { LogStage } from '../../../src/pipelines/write/log.js';
import { RejectedRowsFile } from '../../../src/wal/rejected-rows.js';
import { blockOf, int, recordedBatch } from '../../support/blocks/blocks.js';
import { logIn, silent } from '../../support/blocks/write-log.js';
import { until } from '../../support/until.js';

test('rejected rows stay in the log until they are in the file of rejected rows, others of their group do not', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'sluice-log-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, 'no-directory'), '');
  const wal = logIn(root);
  const rejected = new RejectedRowsFile(join(root, 'no-directory', 'rejected.jsonl'), silent);
  const read = () => Promise.reject(new Error('nothing is read back here'));
  const reading = { read, readTogether: read, isDefined: () => true };
  const stage: LogStage = new LogStage({ wal, rejected, maxWaitingBytes: 1e9, ...reading }, () => commit);
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
  const stage: LogStage = new LogStage({ wal, rejected, maxWaitingBytes: 1, ...reading }, () => commit);
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
    groups[0]!.payload.goesOn?.();
    return performance.now() - begun > 1_500;
  };
  t.true(await until(isOver));
  t.is(answers, 1);
  t.true(await until(() => answers === 2));
});
