import { writeFileSync } from 'node:fs';
import { renderLoadPage } from './load-page.js';
import { renderSampleFile } from './sample-file.js';
import { renderSettingsPage } from './settings-page.js';

// Run by `npm run settings-page`; the compiled file lies in build/src/config.
const root = new URL('../../../', import.meta.url);
writeFileSync(new URL('docs/settings.md', root), renderSettingsPage());
writeFileSync(new URL('docs/load-tool-arguments.md', root), renderLoadPage());
writeFileSync(new URL('packaging/adapter.toml', root), renderSampleFile());
