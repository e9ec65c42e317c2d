import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { Codes } from '../../src/model/fault.js';

test('docs/errors.md lists every code once, in both ways of writing, with cause and remedy', (t) => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/errors.md'), 'utf8');
  const row = /^\| `0x([0-9a-f]{4})` *\| (\d+) *\| `(\w+)` *\| (.+?) *\| (.+?) *\|$/gm;
  const listed = [...page.matchAll(row)].map(([, hex = '', decimal, name]) => [
    name,
    Number.parseInt(hex, 16),
    Number(decimal),
  ]);
  t.deepEqual(
    listed,
    Object.entries(Codes).map(([name, code]) => [name, code, code]),
  );
  // Each says something of its own.
  const causes = [...page.matchAll(row)].map(([, , , , cause]) => cause);
  t.true(new Set(causes).size > 0.95 * causes.length);
});
