import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

const repository = join(import.meta.dirname, '../../..');

function texts(folder: string): [string, string][] {
  return readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [`${folder}/${name}`, readFileSync(join(repository, folder, name), 'utf8')]);
}

const exported = /^export (?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type) (\w+)/gm;
const imported = /\{([^{}]*)\}\s*(?:from '|= await import\()/g;

test('what a file of src exports, another one imports', (t) => {
  const own = texts('src');
  const names = new Set<string>();
  for (const [, text] of [...own, ...['test', 'bench', 'tools'].flatMap(texts)]) {
    for (const [, list = ''] of text.matchAll(imported)) {
      for (const name of list.split(','))
        names.add(
          name
            .replace(/^\s*type /, '')
            .trim()
            .split(' as ')[0]!,
        );
    }
  }
  for (const [file, text] of own) {
    for (const [, name = ''] of text.matchAll(exported)) t.true(names.has(name), `${file} exports ${name} to nobody`);
  }
});
