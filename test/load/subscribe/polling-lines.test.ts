import test from 'ava';
import { messageLines, printedRow } from '../../../src/load/subscribe/polling.js';

test('a message is printed with its consumer, its origin and its rows', (t) => {
  const origin = { topic: 't', database: 'd', table: 'm', vgroup: 3, offset: 0n };
  const message = { ...origin, count: 2, names: ['d1', ''], rows: ['1\t2.5', '2\t\\N'] };
  const text = messageLines(message, 4, 7);
  t.is(
    text,
    'consumerId: 4, message: 7\ndatabase: d, table: m, topic: t, vgroup: 3\n' +
      'table: d1, row: 0\n1 2.5\ntable: m, row: 1\n2 NULL\n',
  );
});

test('only a whole value is NULL', (t) => {
  t.is(printedRow('a\\\\N\t\\N\tb'), 'a\\\\N NULL b');
});
