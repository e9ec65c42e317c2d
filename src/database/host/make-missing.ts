import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Rights of group and others that are not given to files of the service, however it is started. */
export const fileMask = 0o027;
const ownerOnly = 0o700;
const others = 0o007;

/**
 * Makes a directory of the service's own, for its user alone. One that is there already is closed to strangers; what
 * its group may do stays as it was set.
 * @throws the error of the system when it cannot be made or is a file.
 */
export function makePrivate(path: string): void {
  const wasThere = existsSync(path);
  makeMissing(path);
  const mode = statSync(path).mode & 0o777;
  const rights = wasThere ? mode & ~others : ownerOnly;
  if (rights === mode) return;
  try {
    chmodSync(path, rights);
  } catch {
    // It belongs to another user, who decides about its rights.
  }
}

/**
 * Makes a directory and those above it that are missing, step by step: the recursive call of the runtime never returns
 * where a file system refuses names, as /proc does.
 */
function makeMissing(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeMissing(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    if (!existsSync(path) || !statSync(path).isDirectory()) throw error;
  }
}
