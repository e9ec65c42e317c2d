import { readFileSync } from 'node:fs';
import test from 'ava';
import { flags, settings } from '../../../src/load/settings/keys/rows.js';
import { renderLoadPage } from '../../../src/load/settings/page.js';

test('has a current page of arguments and keys in docs', (t) => {
  const page = readFileSync(new URL('../../../../docs/load-tool-arguments.md', import.meta.url), 'utf8');
  t.is(page, renderLoadPage(), 'run npm run settings-page');
  for (const { long } of flags) t.true(page.includes(`\`--${long}\``), long);
  for (const { keys } of settings) for (const key of keys) t.true(page.includes(`\`${key}\``), key);
  t.notRegex(page, /taosdata/);
});
