import { readFileSync } from 'node:fs';
import test from 'ava';
import { loadFileTables } from '../../../src/load/settings/keys.js';
import { loadOptions } from '../../../src/load/settings/options.js';
import { renderLoadPage } from '../../../src/load/settings/page.js';

test('has a current page of arguments and keys in docs', (t) => {
  const page = readFileSync(new URL('../../../../docs/load-tool-arguments.md', import.meta.url), 'utf8');
  t.is(page, renderLoadPage(), 'run npm run settings-page');
  for (const { long } of loadOptions) t.true(page.includes(`\`--${long}\``), long);
  for (const { key } of loadFileTables.flatMap((table) => table.rows)) t.true(page.includes(`\`${key}\``), key);
  t.notRegex(page, /taosdata/);
});
