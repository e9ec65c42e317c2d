import { writeFileSync } from 'node:fs';
import { renderSampleFile } from './config/sample-file.js';
import { renderSettingsPage } from './config/settings-page.js';
import { renderLoadPage } from './load/settings/page.js';

// Run by `npm run settings-page`; the compiled file lies in build/src.
const root = new URL('../../', import.meta.url);
writeFileSync(new URL('docs/settings.md', root), renderSettingsPage());
writeFileSync(new URL('docs/load-tool-arguments.md', root), renderLoadPage());
writeFileSync(new URL('packaging/adapter.toml', root), renderSampleFile());
