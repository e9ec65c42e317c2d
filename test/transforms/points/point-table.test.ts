import test from 'ava';
import { Codes } from '../../../src/model/fault.js';
import { LineProtocolDesk } from '../../support/messages/line-protocol.js';

test('counts the tags of a new series as columns', (t) => {
  const wide = (fields: number): string => `m,a=1,b=2 ${Array.from({ length: fields }, (_, i) => `f${i}=1`).join(',')}`;
  t.is(new LineProtocolDesk().parse(wide(4093)).rejectedRows, 0);
  const parsed = new LineProtocolDesk().parse(`${wide(4094)}\nm,a=1 v=1`);
  t.is(parsed.rows, 1);
  t.regex(parsed.rejects[0]?.fault.message ?? '', /field "f4093" is one too many: the table has 4096 columns already/);
  const grown = new LineProtocolDesk().parse(`${wide(4093)}\nm,a=1,b=2,c=3 f0=1`);
  t.is(grown.rows, 1);
  t.regex(grown.rejects[0]?.fault.message ?? '', /the table has 4096 columns already/);
});

test('refuses only the series that bring more tags than a table may have', (t) => {
  const parsed = new LineProtocolDesk().parse(Array.from({ length: 130 }, (_, i) => `m,t${i}=1 v=1`).join('\n'));
  t.is(parsed.rows, 128);
  t.deepEqual(
    parsed.rejects.map(({ row, fault: { code } }) => [row, code]),
    [
      [128, Codes.invalidTagCount],
      [129, Codes.invalidTagCount],
    ],
  );
  t.regex(parsed.rejects[0]?.fault.message ?? '', /tag "t128" is one too many: the table has 128 tags already/);
});
