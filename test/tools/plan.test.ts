import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { root } from '../../tools/tests/places.js';
import { findTests, named, shares } from '../../tools/tests/plan.js';
import { slowFiles } from '../../tools/tests/slow-files.js';
import { temporaryDirectory } from '../support/engine/engine.js';

/** A folder of tests: name and text of each. */
const texts = {
  'e2e/lineproto': "import { service } from '../support/service/service.js';",
  'e2e/outage.long': 'test();',
  'sql/lexer': 'test();',
  'sql/plan/lineproto-names': 'test();',
  'sql/plan/hooks': 'test.beforeEach(() => {});',
  'database/client': 'const { end } = await startEngine();',
  'database/store/changes': 'const { end } = await sharedEngine();',
  'sinks/database': 'const { end } = await sharedEngine();',
  'e2e/dialect.rare': 'test();',
  'e2e/dialect/joins': 'const { service } = await sharedService();',
  'e2e/dialect/over': 'const { service } = await sharedService();',
  'e2e/dialect/over.long': 'const { service } = await sharedService();',
  'model/clock': '// In a process of its own: it sets the time zone.\ntest();',
};

const [folder, remove] = temporaryDirectory();
test.after.always(remove);
for (const [name, text] of Object.entries(texts)) {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, `${name}.test.ts`), text);
}
const files = findTests(folder);
const names = (some: readonly { readonly name: string }[]): string[] => some.map(({ name }) => name).sort();

test('files share a process unless they start something, have hooks before their tests, or say so', (t) => {
  t.deepEqual(names(files), Object.keys(texts).sort());
  t.deepEqual(names(files.filter(({ share }) => share !== undefined)), [
    'database/store/changes',
    'e2e/dialect/joins',
    'e2e/dialect/over',
    'sinks/database',
    'sql/lexer',
    'sql/plan/lineproto-names',
  ]);
  t.deepEqual(names(files.filter(({ isLong }) => isLong)), ['e2e/dialect/over.long', 'e2e/outage.long']);
  t.deepEqual(names(files.filter(({ isRare }) => isRare)), ['e2e/dialect.rare']);
});

test('each shared room or service is one process, and what took long comes first', (t) => {
  const seconds = new Map([
    ['sql/lexer', 20],
    ['sql/plan/lineproto-names', 20],
    ['e2e/lineproto', 30],
  ]);
  const [first, second] = shares(files, seconds);
  t.deepEqual([first?.name, second?.name], ['sql', 'e2e/lineproto']);
  t.deepEqual(names(first?.files ?? []), ['sql/lexer', 'sql/plan/lineproto-names']);
  t.is(shares(files, seconds).length, 10);
  const dialect = shares(files, seconds).find(({ name }) => name === 'e2e/dialect');
  t.deepEqual(names(dialect?.files ?? []), ['e2e/dialect/joins', 'e2e/dialect/over']);
  const engine = shares(files, seconds).find(({ name }) => name === 'engine');
  t.deepEqual(names(engine?.files ?? []), ['database/store/changes', 'sinks/database']);
});

test('files of a folder that together take long are spread over processes that take about as long as each other', (t) => {
  const seconds = new Map([
    ['e2e/dialect/joins', 70],
    ['e2e/dialect/over', 60],
  ]);
  const processes = shares(files, seconds).filter(({ name }) => name.startsWith('e2e/dialect-'));
  t.deepEqual(
    processes.map(({ name, files: some }) => [name, names(some)]),
    [
      ['e2e/dialect-1', ['e2e/dialect/joins']],
      ['e2e/dialect-2', ['e2e/dialect/over']],
    ],
  );
});

test('a test that draws cases has a file that takes all of them', (t) => {
  const all = findTests(join(root, 'test'));
  const drawing = all.filter(({ name, isLong, isRare }) => {
    if (isLong || isRare) return false;
    return /^import .*\/cases\.js'/m.test(readFileSync(join(root, 'test', `${name}.test.ts`), 'utf8'));
  });
  const longNames = new Set(all.flatMap(({ name, isLong }) => (isLong ? [name] : [])));
  t.deepEqual(
    names(drawing).filter((name) => !longNames.has(`${name}.long`)),
    [],
  );
});

test('every file that is known to be slow exists', (t) => {
  const all = names(findTests(join(root, 'test')));
  t.deepEqual(
    Object.keys(slowFiles).filter((name) => !all.includes(name)),
    [],
  );
});

test('a file is named by a part of its path, or by the path that a shell completes', (t) => {
  t.deepEqual(names(named(files, ['lineproto']).files), ['e2e/lineproto', 'sql/plan/lineproto-names']);
  t.deepEqual(names(named(files, ['test/e2e/lineproto.test.ts']).files), ['e2e/lineproto']);
  t.deepEqual(names(named(files, ['build/test/sql/lexer.test.js', 'clock']).files), ['model/clock', 'sql/lexer']);
  t.deepEqual(names(named(files, ['outage']).files), ['e2e/outage.long']);
  t.deepEqual(names(named(files, ['e2e/dialect']).files), ['e2e/dialect/joins', 'e2e/dialect/over']);
  t.deepEqual(names(named(files, ['e2e/dialect'], true).files), ['e2e/dialect/over.long']);
  t.deepEqual(names(named(files, ['e2e/dialect/over.long']).files), ['e2e/dialect/over.long']);
  t.deepEqual(names(named(files, ['dialect.rare']).files), ['e2e/dialect.rare']);
});

test('a word that names no file is reported, and the other words count', (t) => {
  const { files: some, unknown } = named(files, ['lexer', 'nobody', 'test/e2e/typo.test.ts']);
  t.deepEqual(names(some), ['sql/lexer']);
  t.deepEqual(unknown, ['nobody', 'e2e/typo']);
});

test('a run whose only word names no file says so and ends with exit code 1', (t) => {
  const { status, stdout } = spawnSync(process.execPath, ['build/tools/tests/run.js', 'nobody'], {
    cwd: root,
    encoding: 'utf8',
  });
  t.deepEqual([status, stdout], [1, 'No test file has "nobody" in its path.\n']);
});
