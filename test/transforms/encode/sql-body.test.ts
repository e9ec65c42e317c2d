import test from 'ava';
import fc from 'fast-check';
import { dataType } from '../../../src/model/schema.js';
import { affectedBody, SqlBodyEncoder, sqlBody, wholeSqlBody } from '../../../src/transforms/encode/sql-body.js';

const meta = [
  { name: 'ts', type: dataType('TIMESTAMP') },
  { name: 'v', type: dataType('INT') },
];
const head = '{"code":0,"column_meta":[["ts","TIMESTAMP",8],["v","INT",4]],"data":[';

async function* feed(chunks: readonly string[], onReturn: () => void = () => undefined) {
  try {
    for (const chunk of chunks) yield Buffer.from(chunk);
  } finally {
    onReturn();
  }
}

async function bodyOf(chunks: readonly string[], rowLimit = -1, onReturn?: () => void): Promise<string> {
  const lines = feed(chunks, onReturn);
  const parts: Uint8Array[] = [];
  for await (const part of sqlBody(meta, rowLimit, await lines.next(), lines)) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString();
}

test('a result without rows keeps its column meta', async (t) => {
  t.is(await bodyOf([]), `${head}],"rows":0}`);
});

test('rows become elements of data', async (t) => {
  t.is(await bodyOf(['["a",1]\n["b",2]\n']), `${head}["a",1],["b",2]],"rows":2}`);
});

test('any cutting of the chunks gives the same body', async (t) => {
  const row = fc.array(fc.oneof(fc.integer(), fc.string()), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 12 }), fc.array(fc.nat(60)), async (values, cuts) => {
      const text = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
      const chunks: Buffer[] = [];
      let at = 0;
      for (const cut of cuts) {
        chunks.push(text.subarray(at, at + cut));
        at += cut;
      }
      chunks.push(text.subarray(at));
      const encoder = new SqlBodyEncoder(meta, -1);
      const parts = [Buffer.from(encoder.head())];
      for (const chunk of chunks) parts.push(Buffer.from(encoder.rows(Buffer.from(chunk))));
      parts.push(Buffer.from(encoder.tail()));
      const data = JSON.stringify(values);
      t.is(Buffer.concat(parts).toString(), `${head}${data.slice(1)},"rows":${values.length}}`);
    }),
  );
});

test('the row limit cuts the data, reports what was sent and returns the source', async (t) => {
  for (const chunks of [['[1]\n[2]\n[3]\n'], ['[1]\n', '[2]\n', '[3]\n'], ['[1]', '\n[2', ']', '\n', '[3]\n']]) {
    let returned = 0;
    const body = await bodyOf(chunks, 2, () => returned++);
    t.is(body, `${head}[1],[2]],"rows":2}`);
    t.is(returned, 1);
  }
});

test('a row limit of 0 gives no rows and one above the count changes nothing', async (t) => {
  t.is(await bodyOf(['[1]\n[2]\n'], 0), `${head}],"rows":0}`);
  t.is(await bodyOf(['[1]\n[2]\n'], 5), `${head}[1],[2]],"rows":2}`);
});

test('rows that are all there make the same body as rows that come in pieces', async (t) => {
  for (const chunks of [[], ['[1]\n[2]\n[3]\n'], ['[1]', '\n[2', ']', '\n', '[3]\n']]) {
    for (const limit of [-1, 0, 1, 2, 3, 4]) {
      const whole = chunks.map((chunk) => Buffer.from(chunk));
      t.is(wholeSqlBody(meta, limit, whole).toString(), await bodyOf(chunks, limit), `${chunks} ${limit}`);
    }
  }
});

test('the first rows leave together with the column meta', async (t) => {
  const lines = feed(['[1]\n', '[2]\n']);
  const body = sqlBody(meta, -1, await lines.next(), lines);
  t.is(Buffer.from((await body.next()).value ?? []).toString(), `${head}[1]`);
  await body.return();
});

test('leaving the body early returns the source', async (t) => {
  let returned = false;
  const lines = feed(['[1]\n', '[2]\n', '[3]\n'], () => {
    returned = true;
  });
  const body = sqlBody(meta, -1, await lines.next(), lines);
  await body.next();
  await body.return();
  t.true(returned);
});

test('an error of the source passes through', async (t) => {
  async function* failing() {
    yield Buffer.from('[1]\n');
    throw new Error('gone');
  }
  const lines = failing();
  const body = sqlBody(meta, -1, await lines.next(), lines);
  await body.next();
  await t.throwsAsync(() => body.next(), { message: 'gone' });
});

test('affected rows come as an array or, keyed, as an object', (t) => {
  t.is(affectedBody(2, false), '{"code":0,"column_meta":[["affected_rows","INT",4]],"data":[[2]],"rows":1}');
  t.is(
    affectedBody(0, true),
    '{"code":0,"column_meta":[["affected_rows","INT",4]],"data":[{"affected_rows":0}],"rows":1}',
  );
});

test('column meta shows decimals without a blank and escapes names', (t) => {
  const encoder = new SqlBodyEncoder([{ name: 'a"b', type: dataType('DECIMAL', 20, 4) }], -1);
  t.is(encoder.head(), '{"code":0,"column_meta":[["a\\"b","DECIMAL(20,4)",16]],"data":[');
});
