import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

const source = join(import.meta.dirname, '../../../src');

/** Files of `src` and their text without comments. */
const files: readonly (readonly [path: string, code: string])[] = readdirSync(source, {
  recursive: true,
  encoding: 'utf8',
})
  .filter((path) => path.endsWith('.ts'))
  .sort()
  .map((path) => [path, readFileSync(join(source, path), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')]);

/** One of each kind that is there, by its names in code, and the files of `src` that a new one like it would touch. */
const examples: Readonly<Record<string, readonly [names: RegExp, touched: readonly string[]]>> = {
  'a source': [
    /\bgraphite\b|parseGraphite/,
    [
      'config/settings-page.ts',
      'model/batch.ts',
      'pipelines/formats.ts',
      'sources/graphite/kind.ts',
      'sources/graphite/options.ts',
      'sources/kinds.ts',
      'sources/options.ts',
      'transforms/parse/graphite.ts',
      'wal/record.ts',
    ],
  ],
  'a setting': [
    /\bremoteReadBytes\b/,
    ['config/limit-options.ts', 'service/pipelines.ts', 'transforms/encode/remote-read.ts'],
  ],
  'a request': [
    /\bputPoints\b|\bopentsdbPutHandler\b/,
    ['http/api/writes.ts', 'http/handlers/tsdbwire-write.ts', 'http/routes.ts'],
  ],
  'a kind of statement': [
    /'kill-query'/,
    ['sql/parser/administration.ts', 'sql/syntax/ast-statement.ts', 'statements/table.ts'],
  ],
  'a list of SHOW': [
    /\bins_tsmas\b|\btsmasTable\b/,
    ['sql/syntax/show-lists.ts', 'statements/lists/registry.ts', 'statements/lists/streams.ts'],
  ],
  'a function of SQL': [/\bNVL2\b/, ['sql/functions/conditional.ts']],
  'a key of the load tool': [/\bkeepTrying\b/, ['load/settings/keys/table.ts', 'load/settings/table.ts']],
};

for (const [what, [names, touched]] of Object.entries(examples)) {
  test(`${what} is written in ${touched.length} ${touched.length === 1 ? 'place' : 'places'}`, (t) => {
    t.deepEqual(
      files.flatMap(([path, code]) => (names.test(code) ? [path] : [])),
      [...touched],
    );
  });
}
