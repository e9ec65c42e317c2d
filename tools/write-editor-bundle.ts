import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { editorBundle } from './editor-bundle.js';

writeFileSync(join(import.meta.dirname, '../../page/codemirror.js'), await editorBundle());
