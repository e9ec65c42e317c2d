import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

const root = join(import.meta.dirname, '../../../src');

test('stages get their life from one helper: only that and the bridge from streams make observables by hand', (t) => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const makers = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('new Observable'));
  t.deepEqual(makers.toSorted(), ['async/stage.ts', 'sources/support/bridges.ts']);
});
