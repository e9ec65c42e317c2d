import test from 'ava';
import fc from 'fast-check';
import { Subject } from 'rxjs';
import type { Batch, ByteBlock, RowSet, Target } from '../../../src/model/batch.js';
import type { ColumnBlock } from '../../../src/model/column-block.js';
import { type Delivery, delivered } from '../../../src/model/delivery.js';
import { Codes, fault } from '../../../src/model/fault.js';
import { coalesce } from '../../../src/pipelines/write/coalesce.js';
import { mergeLines } from '../../../src/pipelines/write/merging.js';
import { parse } from '../../../src/pipelines/write/parse.js';
import { LineProtocolDesk, superTable } from '../../support/messages/line-protocol.js';

const target: Target = {
  database: 'demo',
  user: 'root',
  createDatabase: false,
  ttl: 0,
  precision: 'ns',
  reading: { epoch: 1, nowMicros: 1n },
};

/** Tables that are there, with all columns of their lines. */
const tables = ['m', 'n'].map((name) =>
  superTable(name, { v: ['DOUBLE'], w: ['BOOL'], s: ['VARCHAR', 16] }, name === 'n' ? ['a'] : ['_tag_null']),
);

/** The operators over a real parser. Each text has the number of its sender, and every ending is noted. */
function startDesk(
  isDefined: boolean | ((block: ColumnBlock) => boolean) = true,
  refused?: (set: Batch<RowSet>) => Delivery | undefined,
) {
  const desk = new LineProtocolDesk();
  const texts$ = new Subject<Batch<ByteBlock>>();
  const sets: Batch<RowSet>[] = [];
  const endings: (readonly [sender: number, delivery: Delivery])[] = [];
  let reads = 0;
  const reader = {
    read: ({ bytes, merged }: ByteBlock) => {
      reads++;
      const times = { nowTicks: 0n };
      const texts = merged?.ends.map((end) => ({ end, times }));
      return desk.parse(bytes, texts && { texts });
    },
  };
  texts$
    .pipe(
      coalesce(),
      parse(reader, { isDefined: (block) => (typeof isDefined === 'boolean' ? isDefined : isDefined(block)) }),
    )
    .subscribe((set) => {
      sets.push(set);
      set.settle(refused?.(set) ?? delivered(set.rows, set.payload.rejectedRows, set.payload.rejects));
    });
  const send = (sender: number, text: string, other: Partial<Target> = {}): void => {
    const bytes = Buffer.from(text);
    texts$.next({
      origin: 'lineproto',
      target: { ...target, ...other },
      payload: { kind: 'bytes', format: 'lineproto', bytes, part: { first: true, last: true } },
      rows: 0,
      bytes: bytes.length,
      settle: (delivery) => endings.push([sender, delivery]),
    });
  };
  const rows = () =>
    sets.flatMap(({ payload }) =>
      desk.rows({ ...payload, rows: 0, lines: 0, usesNow: true, leftOut: 0, described: [] }),
    );
  return { desk, send, sets, endings, rows, reads: () => reads, texts$ };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('short texts of one turn become one text, and each sender is answered', async (t) => {
  const { send, sets, endings, rows, reads } = startDesk();
  send(1, 'm,a=1 v=1 10\n');
  send(2, 'm,a=2 v=2 20');
  send(3, '');
  send(4, '# a comment\nm,a=1 v=3 30');
  t.is(sets.length, 0);
  await turn();
  t.is(reads(), 1);
  t.deepEqual(
    Buffer.from(sets[0]!.payload.text!.bytes).toString(),
    'm,a=1 v=1 10\nm,a=2 v=2 20\n# a comment\nm,a=1 v=3 30\n',
  );
  t.deepEqual(
    rows().map(({ time }) => time),
    [10n, 20n, 30n],
  );
  t.deepEqual(endings, [
    [1, delivered(1)],
    [2, delivered(1)],
    [3, delivered(0)],
    [4, delivered(1)],
  ]);
});

test('the sender of a bad line among them gets its number in its own payload, and the others get none', async (t) => {
  const { send, endings, rows } = startDesk();
  send(1, 'm v=1 10\nm v=2 20');
  send(2, 'm v=3 30\nm v=bad 40\nm v=5 50');
  await turn();
  t.deepEqual(endings[0], [1, delivered(2)]);
  const [sender, ending] = endings[1]!;
  t.is(sender, 2);
  t.true(
    ending.outcome === 'delivered' && ending.rows === 2 && ending.rejectedRows === 1 && ending.rejects[0]?.row === 1,
  );
  t.deepEqual(
    rows().map(({ time }) => time),
    [10n, 20n, 30n, 50n],
  );
});

test('a bad line and a new table cost the other senders of the turn nothing', async (t) => {
  const { send, sets, endings, reads } = startDesk(({ table }) => table !== 'made');
  for (const [sender, text] of ['m v=1 1', 'bad\nm v=2 2', 'm v=3 3', 'made v=4 4', 'm v=5 5'].entries())
    send(sender, text);
  await turn();
  t.is(reads(), 4, 'all as one, then those before the new table, that one, and the one behind it');
  t.deepEqual(
    sets.map(({ rows }) => rows),
    [3, 1, 1],
  );
  t.deepEqual(
    endings.map(([sender, delivery]) => [
      sender,
      delivery.outcome === 'delivered' && [delivery.rows, delivery.rejectedRows],
    ]),
    [
      [0, [1, 0]],
      [1, [1, 1]],
      [2, [1, 0]],
      [3, [1, 0]],
      [4, [1, 0]],
    ],
  );
});

test('payloads that together name more tables than one text may are read one by one', (t) => {
  const desk = new LineProtocolDesk();
  const many = (first: number): Buffer =>
    Buffer.from(Array.from({ length: 10_000 }, (_, at) => `m${first + at} v=1 1\n`).join(''));
  const { bytes, ends } = mergeLines([many(0), many(10_000)]);
  const texts = ends.map((end) => ({ end, times: { nowTicks: 0n } }));
  t.true(desk.parse(bytes, { texts }).joined?.isTorn);
  t.is(desk.parse(bytes.subarray(ends[0])).rejectedRows, 0);
});

test('texts that were read as one are read one by one when some of their rows are refused later, and each sender gets its own result', async (t) => {
  const gone: Delivery = { outcome: 'rejected', fault: fault('database', Codes.tableNotExist, 'Table does not exist') };
  const row = { row: 0, fault: gone.fault };
  for (const refusal of [gone, delivered(1, 1, [row])]) {
    const isGone = ({ payload }: Batch<RowSet>) =>
      payload.blocks.some(({ table }) => table === 'gone') ? refusal : undefined;
    const { send, sets, endings } = startDesk(true, isGone);
    send(1, 'm v=1 10');
    send(2, 'gone v=2 20');
    await turn();
    t.is(sets.length, 3);
    t.deepEqual(endings, [
      [1, delivered(1)],
      [2, refusal],
    ]);
  }
});

test('texts are read one by one that have rows without a time, or tables that are not there', async (t) => {
  for (const [text, isDefined] of [
    ['m v=1', true],
    ['m v=1 0', true],
    ['m v=1 10', false],
  ] as const) {
    const { send, sets } = startDesk(isDefined);
    send(1, text);
    send(2, text);
    await turn();
    t.is(sets.length, 2, text);
  }
});

test('texts of other targets, and those that others could run into, keep their place', async (t) => {
  const { send, sets, endings } = startDesk();
  send(1, 'm v=1 10');
  send(2, 'm v=2 20', { user: 'ann' });
  send(3, 'm v="a', {});
  send(4, '" 5');
  send(5, 'm v=5 50\\');
  send(6, 'm v=6 60', { ack: 'stored' });
  await turn();
  t.deepEqual(
    endings.map(([sender]) => sender),
    [1, 2, 3, 4, 5, 6],
  );
  t.deepEqual(
    sets.map(({ rows }) => rows),
    [1, 1, 0, 0, 0, 1],
  );
});

test('what came before the end is read before it', (t) => {
  const { send, sets, texts$ } = startDesk();
  send(1, 'm v=1 10');
  texts$.complete();
  t.is(sets.length, 1);
});

test('payloads that are read as one give the rows and endings of those read one by one', async (t) => {
  const line = fc.oneof(
    fc
      .tuple(fc.constantFrom('m', 'n,a=1', 'n,a=2'), fc.constantFrom('v=1', 'v=2i', 'w=t', 'v=', 's="x"'), fc.nat(5))
      .map(([key, fields, time]) => `${key} ${fields}${time === 0 ? '' : ` ${time}`}`),
    fc.constantFrom('', '# c', 'bad', 'm v="open', '" 1'),
  );
  const text = fc.array(line, { maxLength: 3 }).map((lines) => lines.join('\n'));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 6 }), async (texts) => {
      const [together, alone] = [startDesk(), startDesk()];
      for (const { desk } of [together, alone]) for (const table of tables) desk.tables.set(table.name, table);
      for (const [sender, body] of texts.entries()) together.send(sender, body);
      await turn();
      for (const [sender, body] of texts.entries()) {
        alone.send(sender, body);
        await turn();
      }
      const byTable = ({ rows }: typeof alone) => rows().sort((a, b) => a.table.localeCompare(b.table));
      t.deepEqual(byTable(together), byTable(alone));
      const rejectsOf = ({ endings }: typeof alone) =>
        endings.map(([sender, ending]) => [sender, ending.outcome === 'delivered' ? ending.rejects : ending]);
      t.deepEqual(rejectsOf(together), rejectsOf(alone));
    }),
  );
});

test('a text that is taken whole is not read with others, and one bad line is enough to store none of it', async (t) => {
  const { send, sets, endings, rows } = startDesk();
  send(1, 'm v=1 10');
  send(2, 'm v=2 20\nm v=bad 30\nm v=4 40', { isWhole: true });
  send(3, 'm v=5 50', { isWhole: true });
  await turn();
  t.deepEqual(
    rows().map(({ time }) => time),
    [10n, 50n],
  );
  t.is(sets.length, 2);
  t.like(endings[1], { 0: 2, 1: { outcome: 'delivered', rows: 0, rejectedRows: 3 } });
  t.deepEqual(
    [endings[0], endings[2]],
    [
      [1, delivered(1)],
      [3, delivered(1)],
    ],
  );
});
