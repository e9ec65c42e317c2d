import { readdirSync } from 'node:fs';
import test from 'ava';
import { screenshots } from '../../tools/screenshots.js';

test('every picture in the documents is taken anew by npm run screenshots', (t) => {
  const pictures = readdirSync(new URL('../../../docs/', import.meta.url)).filter((name) => name.endsWith('.png'));
  t.deepEqual(pictures.sort(), Object.keys(screenshots).sort());
});
