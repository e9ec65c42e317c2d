import test from 'ava';
import type { Chunks } from '../../../src/model/exchange.js';
import { ResultLengths } from '../../../src/pipelines/statements/result-lengths.js';

const asked = (text: string, keyed = false) => ({ statement: Buffer.from(text), database: 'd', keyed });

async function* pieces(...lengths: number[]): AsyncGenerator<Uint8Array> {
  for (const length of lengths) yield new Uint8Array(length);
}

async function read(chunks: Chunks): Promise<number> {
  let bytes = 0;
  for await (const piece of chunks) bytes += piece.length;
  return bytes;
}

test('a query is expected to have a short result once it had one, also with other numbers', async (t) => {
  const lengths = new ResultLengths();
  const [hour, other] = [asked('SELECT v FROM m WHERE ts > 1000'), asked('SELECT v FROM m WHERE ts > 2000')];
  t.false(lengths.isShort(hour));
  t.is(await read(lengths.noted(hour, pieces(1000, 500_000))), 501_000);
  t.true(lengths.isShort(hour) && lengths.isShort(other));
  t.false(lengths.isShort(asked('SELECT w FROM m WHERE ts > 1000')));
  t.false(lengths.isShort(asked('SELECT v FROM m WHERE ts > 1000', true)));
  const whole = [new Uint8Array(3)];
  t.is(lengths.noted(asked('SELECT w FROM m WHERE ts > 1'), whole), whole);
  t.true(lengths.isShort(asked('SELECT w FROM m WHERE ts > 1000')));
});

test('a query with long results is expected to have them, and one whose results vary is not asked in vain again', async (t) => {
  const lengths = new ResultLengths();
  const query = asked('SELECT v FROM m LIMIT 1000');
  await read(lengths.noted(query, pieces(1_100_000, 1_100_000)));
  t.false(lengths.isShort(query));
  await read(lengths.noted(query, pieces(10)));
  t.true(lengths.isShort(query));
  lengths.wasLong(query);
  await read(lengths.noted(query, pieces(10)));
  t.false(lengths.isShort(query));
});

test('a result that is not read to its end says nothing, and long statements are not remembered', async (t) => {
  const lengths = new ResultLengths();
  const query = asked('SELECT v FROM m');
  for await (const piece of lengths.noted(query, pieces(1, 2, 3))) {
    t.is(piece.length, 1);
    break;
  }
  t.false(lengths.isShort(query));
  const long = asked(`SELECT ${'v + '.repeat(2000)}v FROM m`);
  await read(lengths.noted(long, pieces(1)));
  t.false(lengths.isShort(long));
});
