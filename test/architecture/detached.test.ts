import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

const root = join(import.meta.dirname, '../../..');

/** The operator, which silences the lint rule `noFloatingPromises`; `void` as a type has no operand. */
const voidOperator = /\bvoid [\w(["'`]/;
/** An async function as the callback of a timer or of an event, whose promise no code gets. */
const asyncCallback =
  /\b(?:setInterval|setTimeout|setImmediate|nextTick)\(\s*async\b|\.(?:on|once)\([^,()]+,\s*async\b/;

test('work that no code awaits goes through detached(), which handles its rejection', (t) => {
  for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const code = readFileSync(join(root, 'src', file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    const line = code.split('\n').find((one) => voidOperator.test(one));
    t.is(line, undefined, `src/${file}`);
    t.is(asyncCallback.exec(code)?.[0], undefined, `src/${file}`);
  }
});

test('the lint rule for promises that no code awaits is an error', (t) => {
  const { linter } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
  t.is(linter.rules.nursery.noFloatingPromises, 'error');
});
