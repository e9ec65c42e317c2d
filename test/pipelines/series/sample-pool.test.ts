import test from 'ava';
import { FaultError } from '../../../src/model/fault.js';
import { SamplePool } from '../../../src/pipelines/series/sample-pool.js';

test('queries share a number of samples, and give back what they hold once', (t) => {
  const pool = new SamplePool(10);
  const [one, other] = [pool.lease(), pool.lease()];
  one.take(6);
  other.take(4);
  const error = t.throws(() => other.take(1), { instanceOf: FaultError });
  t.is(error?.fault.kind, 'resource');
  t.is(pool.held, 10);
  one.end();
  one.end();
  t.is(pool.held, 4);
  other.take(6);
  other.end();
  t.is(pool.held, 0);
});
