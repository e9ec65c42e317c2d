import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';

/**
 * Bundles the programs over what the compiler has made of their entry files: reading five hundred modules takes three times
 * as long as reading a few large files, at every start. The single modules stay beside them for whoever imports one of them.
 */
const root = join(import.meta.dirname, '../..');
const source = join(root, 'src');
const target = join(root, 'build/src');
const pieces = /^part-[A-Z0-9]+\.js(?:\.map)?$/;

/** Lets a module know its own place, though it has become a piece of a file that lies directly in `build/src`. */
const ownPlace: Plugin = {
  name: 'own-place',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!path.startsWith(source) || dirname(path) === source || !text.includes('import.meta.')) return undefined;
      const place = `./${relative(source, path).replaceAll('\\', '/').replace(/\.ts$/, '.js')}`;
      const contents = text.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`);
      return { contents, loader: 'ts' };
    });
  },
};

for (const name of readdirSync(target)) if (pieces.test(name)) rmSync(join(target, name));

const programs = ['adapter', 'worker', 'engine', 'bench'];

await build({
  absWorkingDir: root,
  entryPoints: programs.map((name) => join(source, `${name}.ts`)),
  outdir: target,
  allowOverwrite: true,
  bundle: true,
  splitting: true,
  chunkNames: 'part-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Puts constants of other modules in the place of their names, which the engine of JavaScript would load each time.
  minifySyntax: true,
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'eof',
  // What is found on the disk by its package: the engine's library and the files of the page. `unix-dgram` is for a protocol that is not
  // used, and so are Fastify's compilers of schemas and its requests without a socket.
  external: [
    'chdb',
    'koffi',
    'uplot',
    '@fastify/swagger-ui',
    'unix-dgram',
    '@fastify/ajv-compiler',
    '@fastify/fast-json-stringify-compiler',
    'light-my-request',
  ],
  // Packages in the older module format ask for Node's own modules with `require`.
  banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  plugins: [ownPlace],
  logLevel: 'warning',
});

// The runtime keeps the text of every program in memory, each character in two bytes once a single one does not fit into one. What is
// left of such characters stands in comments and patterns, which may have them by number.
for (const name of readdirSync(target)) {
  if (!pieces.test(name) && !programs.includes(name.replace(/\.js$/, ''))) continue;
  if (name.endsWith('.map')) continue;
  const text = readFileSync(join(target, name), 'utf8');
  const plain = text.replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  if (plain !== text) writeFileSync(join(target, name), plain);
}

// Links to the programs, which package managers make, outlive a build, and start only what may be executed.
for (const name of programs) chmodSync(join(target, `${name}.js`), 0o755);
