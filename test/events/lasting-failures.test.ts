import test from 'ava';
import { LastingFailures } from '../../src/events/lasting-failures.js';

test('a failure counts once it has lasted, until a success', (t) => {
  const failures = new LastingFailures(5_000);
  failures.failed('http', 0);
  failures.failed('http', 4_999);
  t.is(failures.lasting(4_999).size, 0);
  failures.failed('http', 5_000);
  t.deepEqual([...failures.lasting(5_001)], [['http', 0]]);
  failures.succeeded('http');
  t.is(failures.lasting(5_002).size, 0);
  failures.failed('http', 6_000);
  t.is(failures.lasting(6_001).size, 0);
});

test('a failure ends after ten seconds without another one', (t) => {
  const failures = new LastingFailures(0);
  failures.failed('agentd', 1_000);
  t.deepEqual([...failures.lasting(11_000)], [['agentd', 1_000]]);
  t.is(failures.lasting(11_001).size, 0);
  failures.failed('agentd', 20_000);
  t.deepEqual([...failures.lasting(20_000)], [['agentd', 20_000]]);
});

test('failures of different names are independent', (t) => {
  const failures = new LastingFailures(0);
  failures.failed('a', 1);
  failures.failed('b', 2);
  failures.succeeded('a');
  t.deepEqual([...failures.lasting(3).keys()], ['b']);
});
