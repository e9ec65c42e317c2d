import { readSettingFile } from '../../async/setting-file.js';
import { type DataSourceNames, parseTypesDatabase } from '../../transforms/parse/agentd.js';

/** Names of the values of each type, from the files of `agentd.typesDb`; undefined without any. */
export function readTypesDatabases(paths: readonly string[]): DataSourceNames | undefined {
  if (paths.length === 0) return undefined;
  return new Map(paths.flatMap((path) => [...parseTypesDatabase(readSettingFile('agentd.typesDb', path).toString())]));
}
