import test from 'ava';
import type { Chunks, RowForm } from '../../../src/model/exchange.js';
import { ResultSizeHistory } from '../../../src/statements/queries/result-size-history.js';

const request = (text: string, form: RowForm = 'arrays') => ({ statement: Buffer.from(text), database: 'd', form });

async function* pieces(...lengths: number[]): AsyncGenerator<Uint8Array> {
  for (const length of lengths) yield new Uint8Array(length);
}

async function read(chunks: Chunks): Promise<number> {
  let bytes = 0;
  for await (const piece of chunks) bytes += piece.length;
  return bytes;
}

test('a result is predicted to fit the buffer after one that did, also with other numbers in the query', async (t) => {
  const resultSizes = new ResultSizeHistory();
  const [hour, other] = [request('SELECT v FROM m WHERE ts > 1000'), request('SELECT v FROM m WHERE ts > 2000')];
  t.false(resultSizes.fitsBuffer(hour));
  t.is(await read(resultSizes.record(hour, pieces(1000, 500_000))), 501_000);
  t.true(resultSizes.fitsBuffer(hour) && resultSizes.fitsBuffer(other));
  t.false(resultSizes.fitsBuffer(request('SELECT w FROM m WHERE ts > 1000')));
  t.false(resultSizes.fitsBuffer(request('SELECT v FROM m WHERE ts > 1000', 'objects')));
  const whole = [new Uint8Array(3)];
  t.is(resultSizes.record(request('SELECT w FROM m WHERE ts > 1'), whole), whole);
  t.true(resultSizes.fitsBuffer(request('SELECT w FROM m WHERE ts > 1000')));
});

test('large results are not predicted to fit the buffer, nor results of varying size', async (t) => {
  const resultSizes = new ResultSizeHistory();
  const query = request('SELECT v FROM m LIMIT 1000');
  await read(resultSizes.record(query, pieces(1_100_000, 1_100_000)));
  t.false(resultSizes.fitsBuffer(query));
  await read(resultSizes.record(query, pieces(10)));
  t.true(resultSizes.fitsBuffer(query));
  resultSizes.recordExceeded(query);
  await read(resultSizes.record(query, pieces(10)));
  t.false(resultSizes.fitsBuffer(query));
});

test('a result that is not read to its end and long statements leave no entry', async (t) => {
  const resultSizes = new ResultSizeHistory();
  const query = request('SELECT v FROM m');
  for await (const piece of resultSizes.record(query, pieces(1, 2, 3))) {
    t.is(piece.length, 1);
    break;
  }
  t.false(resultSizes.fitsBuffer(query));
  const long = request(`SELECT ${'v + '.repeat(2000)}v FROM m`);
  await read(resultSizes.record(long, pieces(1)));
  t.false(resultSizes.fitsBuffer(long));
});
