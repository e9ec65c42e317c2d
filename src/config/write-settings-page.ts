import { writeFileSync } from 'node:fs';
import { renderSettingsPage } from './settings-page.js';

// Run by `npm run settings-page`; the compiled file lies in build/src/config.
writeFileSync(new URL('../../../docs/settings.md', import.meta.url), renderSettingsPage());
