import { readFileSync } from 'node:fs';
import test from 'ava';
import { adapterOptions, readAdapterSettings } from '../../src/config/adapter-settings.js';
import { resolveSettings } from '../../src/config/resolve.js';
import { renderSampleFile } from '../../src/config/sample-file.js';
import { readTomlFile } from '../../src/config/toml-file.js';

test('the sample file in packaging is current', (t) => {
  const file = readFileSync(new URL('../../../packaging/adapter.toml', import.meta.url), 'utf8');
  t.is(file, renderSampleFile(), 'run npm run settings-page');
});

test('every setting is in the sample file, and uncommented it is what holds without a file', (t) => {
  const text = renderSampleFile().replaceAll(/^#(\w+ = )/gm, '$1');
  const { values, errors } = readTomlFile(adapterOptions, 'adapter.toml', text.replaceAll(/^\w+ = ""\n/gm, ''));
  t.deepEqual(errors, []);
  const named = new Set(renderSampleFile().match(/^#\w+(?= = )/gm));
  for (const row of adapterOptions.flatMap((table) => table.rows)) {
    t.true(named.has(`#${row.flag.split('.').at(-1) ?? ''}`), row.flag);
    if (row.default === undefined || row.type === 'secret') continue;
    const value = values.get(row.flag)?.value;
    const argv = value === undefined ? [] : [`--${row.flag}=${row.default}`];
    const input = { program: 'sluice', version: '0', env: {}, tables: adapterOptions, read: readAdapterSettings };
    t.is(resolveSettings({ ...input, argv }).outcome, 'settings', row.flag);
  }
});
