import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it that are missing, step by step: the recursive call of the runtime never returns
 * where a file system refuses names, as /proc does.
 * @throws the error of the system when one cannot be made or is a file.
 */
export function makeMissing(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeMissing(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    if (!existsSync(path) || !statSync(path).isDirectory()) throw error;
  }
}
