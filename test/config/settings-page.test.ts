import { readFileSync } from 'node:fs';
import test from 'ava';
import { adapterOptions } from '../../src/config/adapter-settings.js';
import { renderSettingsPage } from '../../src/config/settings-page.js';

test('has a current page of settings in docs', (t) => {
  const page = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8');
  t.is(page, renderSettingsPage(), 'run npm run settings-page');
  for (const row of adapterOptions.flatMap((table) => table.rows)) t.true(page.includes(`\`--${row.flag}\``), row.flag);
  t.notRegex(page, /taosdata/);
});
