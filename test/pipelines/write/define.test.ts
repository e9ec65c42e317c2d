import test from 'ava';
import { firstValueFrom, Subject } from 'rxjs';
import type { Batch, ByteBlock, RowSet } from '../../../src/model/batch.js';
import type { Delivery } from '../../../src/model/delivery.js';
import { Codes, FaultError, fault } from '../../../src/model/fault.js';
import { newTally } from '../../../src/model/write-tally.js';
import { type Definer, define } from '../../../src/pipelines/write/define.js';
import { blockOf, int } from '../../support/blocks/blocks.js';
import { until } from '../../support/until.js';

const wrongType = fault('parameter', Codes.schemalessData, 'the column has another type');

/** What becomes of a batch of new tables: those whose names begin with `bad` cannot be made, the others are once `tablesMade$` emits. */
function defining(names: readonly string[], again$ = new Subject<Batch<ByteBlock>>()) {
  const tablesMade$ = new Subject<void>();
  const tablesAreMade = firstValueFrom(tablesMade$);
  const begun: string[] = [];
  const definer: Definer = {
    isDefined: () => false,
    define: async ({ table }) => {
      begun.push(table);
      await tablesAreMade;
      if (table.startsWith('bad')) throw new FaultError(wrongType);
    },
  };
  const source = new Subject<Batch<RowSet>>();
  const passed: Batch<RowSet>[] = [];
  const endings: Delivery[] = [];
  source.pipe(define(definer, again$)).subscribe((batch) => passed.push(batch));
  const blocks = names.map((name) => blockOf(name, { v: int }, [[1n, 1n, { v: 1 }]]));
  const text = { format: 'lineproto', bytes: Buffer.alloc(0) } as const;
  source.next({
    origin: 'test',
    target: { database: 'd', user: 'root', precision: 'ns', createDatabase: false, ttl: 0, tally: newTally() },
    payload: { kind: 'rows', blocks, text, rejectedRows: 0, rejects: [] },
    rows: blocks.length,
    bytes: 1,
    settle: (delivery) => endings.push(delivery),
  });
  return { tablesMade$, begun, passed, endings };
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

test('a text of very many new tables waits for all of them with one timer', async (t) => {
  const before = timers();
  const { tablesMade$, begun, passed } = defining(Array.from({ length: 3_000 }, (_, at) => `t${at}`));
  t.true(await until(() => begun.length === 3_000 && timers() > before));
  t.true(timers() < before + 1_000, `${timers() - before} timers`);
  t.is(passed.length, 0);
  tablesMade$.next();
  t.true(await until(() => passed.length === 1));
  t.is(passed[0]?.payload.blocks.length, 3_000);
});

test('a text is read again where a table has changed meanwhile, and nothing of its first reading goes on', async (t) => {
  const again: Batch<ByteBlock>[] = [];
  const again$ = new Subject<Batch<ByteBlock>>();
  again$.subscribe((batch) => again.push(batch));
  const { tablesMade$, passed, endings } = defining(['a', 'bad'], again$);
  tablesMade$.next();
  t.true(await until(() => again.length === 1));
  t.like(again[0], { rows: 2, payload: { kind: 'bytes', format: 'lineproto' } });
  t.is(again[0]?.target.tally, undefined, 'its rows are counted by kind already');
  t.deepEqual([passed, endings], [[], []]);
});

test('tables that cannot be made cost their rows alone, and their fault is the ending', async (t) => {
  const { tablesMade$, passed, endings } = defining(['a', 'bad', 'b']);
  tablesMade$.next();
  t.true(await until(() => passed.length === 1));
  const batch = passed[0]!;
  t.deepEqual(
    batch.payload.blocks.map(({ table }) => table),
    ['a', 'b'],
  );
  t.is(batch.rows, 2);
  batch.settle({ outcome: 'delivered', rows: 2, rejectedRows: 0, rejects: [] });
  t.deepEqual(endings, [{ outcome: 'rejected', fault: wrongType }]);
});
