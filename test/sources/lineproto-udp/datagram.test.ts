import test from 'ava';
import { mayStandBefore } from '../../../src/sources/lineproto-udp/datagram.js';

test('others stand behind a datagram whose last row has a time and whose strings are closed', (t) => {
  for (const text of ['m v=1 1700', 'm v=1 -5\r\n', 'm v=1\nm v=2 5 \n', 'm s="a\nb" 5', '', '\n']) {
    t.true(mayStandBefore(Buffer.from(text)), text);
  }
  for (const text of ['m v=1', 'm v=-3.5\n', 'm v=1i', 'm s="a 5', 'm s="a\nb 5', '5', '-5', 'm v=-', 'm s="5"']) {
    t.false(mayStandBefore(Buffer.from(text)), text);
  }
});
