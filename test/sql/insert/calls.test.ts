import test from 'ava';
import { callsInValues } from '../../../src/sql/insert/calls.js';

function calls(text: string): (readonly [call: string, database: string | undefined])[] {
  const statement = Buffer.from(text);
  return callsInValues(statement).map(({ start, end, database }) => [statement.toString('utf8', start, end), database]);
}

test('calls among values and tags are told with the database of their table', (t) => {
  const text =
    "INSERT INTO d1.a USING s TAGS ('é', upper( 'x' )) VALUES (NOW, abs(-1)+ 2) (now() + 1s, ')', length(concat('(', ',')) ) " +
    "`D.2``'`.b VALUES (1, md5('日本')) c (ts, v) VALUES (today(), cast(1 AS INT))";
  t.deepEqual(calls(text), [
    ["upper( 'x' )", 'd1'],
    ['abs(-1)+ 2', 'd1'],
    ["length(concat('(', ',')) ", 'd1'],
    ["md5('日本')", "D.2`'"],
    ['cast(1 AS INT)', undefined],
  ]);
});

test('text that is no statement has no calls behind its mistake', (t) => {
  t.deepEqual(calls('INSERT INTO t VALUES (1, abs(2'), []);
  t.deepEqual(calls("INSERT INTO t VALUES (1, 'abs(2))"), []);
  t.deepEqual(calls(''), []);
});
