import test from 'ava';
import fc from 'fast-check';
import { ResultRowsEncoder } from '../../../src/load/encode/result-rows.js';
import { dataType, type TypeName } from '../../../src/model/schema.js';
import { parseTimestamp } from '../../../src/sql/times/timestamp.js';

function encoder(...types: readonly TypeName[]): ResultRowsEncoder {
  const meta = types.map((name, at) => ({ name: `c${at}`, type: dataType(name) }));
  return new ResultRowsEncoder(meta, (text, precision) => parseTimestamp(text, precision, 'UTC'));
}

function lines(types: readonly TypeName[], ...rows: readonly string[]): string {
  const lines = encoder(...types);
  return lines.encode(Buffer.from(rows.map((row) => `${row}\n`).join(''))) + lines.end();
}

for (const [types, row, line] of [
  [['INT'], '[1]', '1'],
  [
    ['BIGINT', 'BIGINT UNSIGNED'],
    '[-9223372036854775807,18446744073709551615]',
    '-9223372036854775807 18446744073709551615',
  ],
  [['DOUBLE', 'BOOL', 'INT'], '[1.50,true,null]', '1.50 true NULL'],
  [['VARCHAR', 'NCHAR'], '["it\'s, [a] \\"text\\"","城市\\n\\r"]', 'it\'s, [a] "text" 城市\\n\\r'],
  [['VARCHAR'], '["null"]', 'null'],
  [['VARCHAR', 'VARCHAR'], '["",""]', ' '],
  [['TIMESTAMP'], '["2023-11-14T22:13:20.123Z"]', '1700000000123'],
  [['TIMESTAMP'], '["2023-11-14T22:13:20.123456Z"]', '1700000000123456'],
  [['TIMESTAMP'], '["2023-11-14T22:13:20.123456789Z"]', '1700000000123456789'],
  [['VARCHAR'], '["2023-11-14T22:13:20.123Z"]', '2023-11-14T22:13:20.123Z'],
  [['JSON', 'INT'], '[{"k0":"a,b","k1":[1,2]},5]', '{"k0":"a,b","k1":[1,2]} 5'],
] as const) {
  test(`prints ${types.join(', ')} ${row}`, (t) => {
    t.is(lines(types, row), `${line}\n`);
  });
}

test('prints the same wherever the chunks are cut, and counts rows', (t) => {
  const text = Buffer.from('["城市",1]\n[null,-2]\n["a\\"],[",3]');
  fc.assert(
    fc.property(fc.array(fc.nat(text.length)), (cuts) => {
      const lines = encoder('NCHAR', 'INT');
      let printed = '';
      let from = 0;
      for (const cut of [...cuts.toSorted((a, b) => a - b), text.length]) {
        printed += lines.encode(text.subarray(from, cut));
        from = cut;
      }
      t.is(printed + lines.end(), '城市 1\nNULL -2\na"],[ 3\n');
      t.is(lines.rows, 3);
    }),
  );
});

test('prints nothing for no rows', (t) => {
  t.is(lines(['INT']), '');
});
