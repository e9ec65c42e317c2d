import { readdirSync, readFileSync, rmSync } from 'node:fs';
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

await build({
  absWorkingDir: root,
  entryPoints: ['adapter', 'worker', 'engine', 'bench'].map((name) => join(source, `${name}.ts`)),
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
  // What is found on the disk by its package: the engine's library and the files of the page. `unix-dgram` is for a protocol that is not used.
  external: ['chdb', 'uplot', '@fastify/swagger-ui', 'unix-dgram'],
  // Packages in the older module format ask for Node's own modules with `require`.
  banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  plugins: [ownPlace],
  logLevel: 'warning',
});
