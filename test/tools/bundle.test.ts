import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const directory = dirname(fileURLToPath(new URL('../../src/adapter.js', import.meta.url)));
const programs = ['adapter.js', 'worker.js', 'engine.js', 'bench.js'];
const pieces = readdirSync(directory).filter((name) => /^part-[A-Z0-9]+\.js$/.test(name));

function textOf(name: string): string {
  return readFileSync(join(directory, name), 'utf8');
}

/** Characters that are read for a piece: its own and those of all that it imports. */
function charactersFor(name: string, seen = new Set<string>()): number {
  if (seen.has(name)) return 0;
  seen.add(name);
  const text = textOf(name);
  const imports = [...text.matchAll(/(?:from|^import) ?"\.\/(part-[A-Z0-9]+\.js)"/gm)].map(([, piece]) => piece!);
  return imports.reduce((sum, piece) => sum + charactersFor(piece, seen), text.length);
}

test('programs hold no character that would double the memory for their text', (t) => {
  t.true(pieces.length > 10);
  for (const name of [...programs, ...pieces]) t.false(/[^\0-\x7f]/.test(textOf(name)), name);
});

test('little is read before the engine is started, and the rest of the service beside it', (t) => {
  const text = textOf('adapter.js');
  const pieceWith = (name: string): string =>
    new RegExp(`\\{ ${name} \\} = await import\\("\\./([^"]+)"`).exec(text)![1]!;
  const before = charactersFor('adapter.js') + charactersFor(pieceWith('beginEngine'));
  const service = charactersFor(pieceWith('startService'));
  t.true(text.indexOf('beginEngine(') < text.indexOf(pieceWith('startService')));
  t.true(before < service / 3, `${before} of ${service}`);
});

test('compilers of schemas, which no route has, are in no program', (t) => {
  for (const name of pieces) t.false(textOf(name).includes('// node_modules/ajv/'), name);
});

test('programs may be executed, so that links to them outlive a build', (t) => {
  for (const name of programs) t.notThrows(() => accessSync(join(directory, name), constants.X_OK), name);
});
