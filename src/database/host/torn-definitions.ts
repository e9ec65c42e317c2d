import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Removes the files of definitions that hold nothing: the engine leaves such a file when its disk is full as it makes a
 * database or table, and can neither use nor make it anew then. To be called before the engine starts; whoever needs the
 * definition makes it again. Gives the files that were removed.
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
    entry.isFile() && entry.name.endsWith('.sql') ? [join(path, entry.name)] : [],
  );
}

function entries(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}
