import test from 'ava';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { type CreateStream, resultsVanish } from '../../../src/sql/plan/stream-query.js';

function stream(query: string): CreateStream {
  const statement = parseStatement(`create stream s into o as ${query}`);
  if (statement.kind !== 'create-stream') throw new Error('No stream');
  return statement;
}

test('results stay where every row only adds to windows of time', (t) => {
  t.false(resultsVanish(stream('select _wstart, count(*) from m interval(1s)')));
  t.false(resultsVanish(stream('select _wstart, count(*) from m partition by tbname interval(1s)')));
  t.false(
    resultsVanish(stream('select _wstart, count(*) from m partition by tbname, g interval(1s)'), [{ name: 'g' }]),
  );
  t.false(resultsVanish(stream('select ts, v from n')));
});

test('results vanish when rows fall out of WHERE, go over to another group or join windows', (t) => {
  for (const query of [
    'select _wstart, count(*) from m where v > 1 interval(1s)',
    'select _wstart, count(*) from m partition by k interval(1s)',
    'select _wstart, count(*) from m partition by tbname, v + 1 interval(1s)',
    'select _wstart, count(*) from n session(ts, 1s)',
    'select _wstart, count(*) from n count_window(3)',
  ]) {
    t.true(resultsVanish(stream(query), [{ name: 'g' }]), query);
  }
});
