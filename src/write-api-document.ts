import { writeFileSync } from 'node:fs';
import { version } from './config/version.js';
import { createApiDocument } from './http/api/document.js';
import { routes } from './http/routes.js';

// Run by `npm run api-document`; the compiled file lies in build/src.
const document = JSON.stringify(createApiDocument(routes, version), undefined, 2);
writeFileSync(new URL('../../docs/openapi.json', import.meta.url), `${document}\n`);
