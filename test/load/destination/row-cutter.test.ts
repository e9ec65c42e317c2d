import test from 'ava';
import fc from 'fast-check';
import { RowCutter } from '../../../src/load/destination/http-statements.js';

/** What a cutter makes of a text that follows `"data":[`, cut at the given places. */
function cut(text: string, places: readonly number[] = []): { readonly lines: string; readonly ended: boolean } {
  const bytes = Buffer.from(text);
  const cutter = new RowCutter();
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const to of [...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    if (!cutter.ended) pieces.push(Buffer.from(cutter.lines(Buffer.from(bytes.subarray(from, to)))));
    from = to;
  }
  return { lines: Buffer.concat(pieces).toString(), ended: cutter.ended };
}

for (const [text, lines] of [
  ['],"rows":0}', ''],
  ['[1]],"rows":1}', '[1]\n'],
  ['[1],[2]],"rows":2}', '[1]\n[2]\n'],
  ['["],[",12345678901234567890],["\\"],"]],"rows":2}', '["],[",12345678901234567890]\n["\\"],"]\n'],
  ['[{"a":[1,2]},null]],"rows":1}', '[{"a":[1,2]},null]\n'],
] as const) {
  test(`cuts ${text}`, (t) => {
    t.deepEqual(cut(text), { lines, ended: true });
  });
}

test('cuts the same rows wherever the chunks end', (t) => {
  const rows = fc.array(fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { minLength: 1 }));
  fc.assert(
    fc.property(rows, fc.array(fc.nat(500)), (list, places) => {
      const text = `${JSON.stringify(list).slice(1)},"rows":${list.length}}`;
      t.deepEqual(cut(text, places), { lines: list.map((row) => `${JSON.stringify(row)}\n`).join(''), ended: true });
    }),
  );
});

test('tells an array that has no end', (t) => {
  t.false(cut('[1],[2]').ended);
  t.false(cut('["]').ended);
});
