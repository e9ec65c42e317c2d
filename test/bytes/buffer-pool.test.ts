import test from 'ava';
import { BufferPool } from '../../src/bytes/buffer-pool.js';

test('a buffer that was given back is taken again, if it is long enough', (t) => {
  const pool = new BufferPool(64 * 1024);
  const first = pool.take(5_000);
  t.is(first.length, 8_192);
  pool.give(first);
  t.not(pool.take(9_000), first);
  t.is(pool.take(100), first);
  t.not(pool.take(100), first);
});

test('no more is kept than the bound allows', (t) => {
  const pool = new BufferPool(16 * 1024);
  const [small, large] = [pool.take(4_096), pool.take(16 * 1024)];
  pool.give(small);
  pool.give(large);
  t.not(pool.take(16 * 1024), large);
  t.is(pool.take(1), small);
  pool.give(large);
  t.is(pool.take(1), large);
  t.is(pool.take(20_000).length, 20_000);
});
