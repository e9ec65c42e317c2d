import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageBundles } from './page-bundles.js';

for (const [name, text] of await pageBundles()) writeFileSync(join(import.meta.dirname, '../../page', name), text);
