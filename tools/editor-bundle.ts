import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const banner =
  '/* CodeMirror 6 (https://codemirror.net), MIT License, Copyright (C) 2018-2026 by Marijn Haverbeke and others. Made by npm run editor-bundle. */';

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

/** The editor of the page as one file, which a browser runs as it is; the packages are not needed to run the service. */
export async function editorBundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../../tools/codemirror-entry.ts')],
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    banner: { js: banner },
    plugins: [sheetsEverywhere],
  });
  return outputFiles[0]?.text ?? '';
}
