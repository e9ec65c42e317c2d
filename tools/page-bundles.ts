import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

const banner = 'Made by npm run page-bundles.';

/**
 * The package that mounts the editor's styles uses style elements in a document, which the page's content security policy
 * forbids, and sheets of the document only in shadow roots. Here it uses the sheets everywhere.
 */
const sheetsEverywhere: Plugin = {
  name: 'sheets-everywhere',
  setup({ onLoad }) {
    onLoad({ filter: /style-mod\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source.replaceAll('!root.head && root.adoptedStyleSheets', 'root.adoptedStyleSheets');
      if (contents === source) throw new Error('style-mod has changed: see how it mounts styles now.');
      return { contents };
    });
  },
};

/** Leaves the packages that `codemirror.js` has brought to that file: two copies of them do not know each other. */
const codemirrorElsewhere: Plugin = {
  name: 'codemirror-elsewhere',
  setup({ onResolve }) {
    onResolve({ filter: /^@(?:codemirror|lezer)\// }, () => ({ path: './codemirror.js', external: true }));
  },
};

const tools = join(import.meta.dirname, '../../tools');

/** What the page uses of other packages, by the file's name. */
const bundles: Readonly<Record<string, BuildOptions>> = {
  'codemirror.js': {
    entryPoints: [join(tools, 'codemirror-entry.ts')],
    plugins: [sheetsEverywhere],
    banner: {
      js: `/* CodeMirror 6 (https://codemirror.net), MIT License, Copyright (C) 2018-2026 by Marijn Haverbeke and others. ${banner} */`,
    },
  },
  'codemirror-promql.js': {
    stdin: {
      contents: "export { PromQLExtension, newCompleteStrategy } from '@prometheus-io/codemirror-promql';",
      resolveDir: tools,
    },
    plugins: [codemirrorElsewhere],
    banner: {
      js: `/* codemirror-promql (https://github.com/prometheus/prometheus), Apache License 2.0, Copyright The Prometheus Authors; with lru-cache, Blue Oak Model License, Copyright Isaac Z. Schlueter. ${banner} */`,
    },
  },
  'marked.js': {
    stdin: { contents: "export { marked } from 'marked';", resolveDir: tools },
    banner: {
      js: `/* Marked (https://marked.js.org), MIT License, Copyright (C) 2011-2026 by Christopher Jeffrey, MarkedJS and others. ${banner} */`,
    },
  },
};

/** Packages for the page, each as one file that a browser runs as it is; they are not needed to run the service. */
export async function pageBundles(): Promise<ReadonlyMap<string, string>> {
  const built = new Map<string, string>();
  for (const [name, options] of Object.entries(bundles)) {
    const { outputFiles } = await build({
      ...options,
      write: false,
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      legalComments: 'none',
    });
    built.set(name, outputFiles?.[0]?.text ?? '');
  }
  return built;
}
