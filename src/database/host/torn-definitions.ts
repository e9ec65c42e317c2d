import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Definitions of databases and tables, and changes of rows. */
const definition = /(?:\.sql|^mutation_\d+\.txt)$/;

/**
 * Removes the files of definitions, and of changes of rows, that hold nothing: the engine leaves such a file when its
 * disk is full as it makes a database or table or begins a DELETE, and can neither use nor make it anew then, or cannot
 * even start. To be called before the engine starts; what needs the definition makes it again. Gives the files that
 * were removed.
 */
export function removeTornDefinitions(path: string): readonly string[] {
  const folders = [join(path, 'metadata'), ...foldersIn(join(path, 'store')).flatMap(foldersIn)];
  const torn = folders.flatMap((folder) => filesIn(folder).filter((file) => statSync(file).size === 0));
  for (const file of torn) rmSync(file, { force: true });
  return torn;
}

function foldersIn(path: string): readonly string[] {
  return entries(path).flatMap((entry) => (entry.isDirectory() ? [join(path, entry.name)] : []));
}

function filesIn(path: string): readonly string[] {
  return entries(path).flatMap((entry) =>
    entry.isFile() && definition.test(entry.name) ? [join(path, entry.name)] : [],
  );
}

function entries(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}
