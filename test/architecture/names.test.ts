import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

const root = join(import.meta.dirname, '../../..');

/** Variables, parameters, fields and methods called so; they say that something is there, not what. */
const words = '#?(?:found|given|made|wanted)';
const declared = new RegExp(
  `\\b(?:const|let|function) ${words}\\b|[{[(,] ?(?:\\.\\.\\.|\\w+: )?${words}(?: = |[,})\\]:?])|^ *(?:readonly |async |\\*)*${words}[(:;?=]`,
  'm',
);

test('names say what is there, and not how it came to be there', (t) => {
  for (const folder of ['src', 'test', 'tools', 'bench']) {
    for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const code = readFileSync(join(root, folder, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
      t.is(declared.exec(code)?.[0], undefined, `${folder}/${file}`);
    }
  }
});
