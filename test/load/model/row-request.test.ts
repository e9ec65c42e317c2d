import test from 'ava';
import { halvesOf, type RowRequest, tableRequests } from '../../../src/load/model/row-request.js';
import { dataType } from '../../../src/model/schema.js';

/** Three tables with two rows each; the values are the places of the rows. */
const request: RowRequest = {
  block: {
    kind: 'columns',
    nullMeaning: 'overwrite',
    style: undefined,
    newSubTables: [],
    database: 'd',
    table: 'm',
    rows: 6,
    ids: BigUint64Array.of(10n, 10n, 20n, 20n, 30n, 30n),
    times: BigInt64Array.of(0n, 1n, 0n, 1n, 0n, 1n),
    columns: [
      {
        name: 'v',
        type: dataType('VARCHAR', 8),
        nulls: new Uint8Array(6),
        values: undefined,
        full: true,
        pool: Uint8Array.of(1, 48, 1, 49, 1, 50, 1, 51, 1, 52, 1, 53),
      },
    ],
  },
  tables: Uint32Array.of(7, 8, 9),
  starts: Uint32Array.of(0, 2, 4, 6),
  pooled: undefined,
  endsRound: true,
};

/** Tables, starts and values of a request. */
function content({ tables, starts, block }: RowRequest): readonly unknown[] {
  return [[...tables], [...starts], [...(block.columns[0]?.pool ?? [])].filter((byte) => byte > 1), block.rows];
}

test('each table of a request gets a request with its own rows and values', (t) => {
  const parts = tableRequests(request);
  t.deepEqual(parts.map(content), [
    [[7], [0, 2], [48, 49], 2],
    [[8], [0, 2], [50, 51], 2],
    [[9], [0, 2], [52, 53], 2],
  ]);
  t.deepEqual([...(parts[2]?.block.ids ?? [])], [30n, 30n]);
});

test('a request is cut between its tables, each half with its own rows and values', (t) => {
  const [left, right] = halvesOf(request, 0, 6);
  t.deepEqual(left && content(left), [[7], [0, 2], [48, 49], 2]);
  t.deepEqual(right && content(right), [[8, 9], [0, 2, 4], [50, 51, 52, 53], 4]);
  t.deepEqual([...(right?.block.ids ?? [])], [20n, 20n, 30n, 30n]);
});

test('of a part in the middle of a request only its rows are in the halves', (t) => {
  const [left, right] = halvesOf(request, 1, 5);
  t.deepEqual(left && content(left), [[7], [0, 1], [49], 1]);
  t.deepEqual(right && content(right), [[8, 9], [0, 2, 3], [50, 51, 52], 3]);
});

test('rows of one table are not cut', (t) => {
  t.deepEqual(halvesOf(request, 2, 4), []);
  t.deepEqual(halvesOf(request, 3, 4), []);
});

test('rows out of a pool go on where the first half ends', (t) => {
  const pooled = { ...request, pooled: { pool: { rows: 4, columns: [] }, first: 3 } };
  t.deepEqual(
    halvesOf(pooled, 1, 6).map((half) => half.pooled?.first),
    [0, 1],
  );
});
