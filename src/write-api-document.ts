import { writeFileSync } from 'node:fs';
import { createApiDocument } from './http/api/document.js';
import { routes } from './http/routes.js';
import { version } from './model/version.js';

// Run by `npm run api-document`; the compiled file lies in build/src.
const document = JSON.stringify(createApiDocument(routes, version), undefined, 2);
writeFileSync(new URL('../../docs/openapi.json', import.meta.url), `${document}\n`);
process.stdout.write('Wrote docs/openapi.json.\n');
