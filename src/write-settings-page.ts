import { writeFileSync } from 'node:fs';
import { renderSampleFile } from './config/sample-file.js';
import { renderSettingsPage } from './config/settings-page.js';
import { renderLoadPage } from './load/settings/page.js';

// Run by `npm run settings-page`; the compiled file lies in build/src.
const root = new URL('../../', import.meta.url);
const pages = {
  'docs/settings.md': renderSettingsPage,
  'docs/load-tool-arguments.md': renderLoadPage,
  'packaging/adapter.toml': renderSampleFile,
};
for (const [path, render] of Object.entries(pages)) {
  writeFileSync(new URL(path, root), render());
  process.stdout.write(`Wrote ${path}.\n`);
}
