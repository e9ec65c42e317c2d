import { readFileSync } from 'node:fs';
import { reasonOf } from '../model/fault.js';

/** A file that the setting `flag` names. Throws an Error with one line when it cannot be read, which ends the start. */
export function readSettingFile(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new Error(`${flag}: ${path} cannot be read: ${reasonOf(cause)}`, { cause });
  }
}
