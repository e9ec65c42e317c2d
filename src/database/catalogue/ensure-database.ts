import { Codes, FaultError, fault } from '../../model/fault.js';
import type { DatabaseDef } from '../../model/schema.js';
import type { Catalogue } from './catalogue.js';

/** Days that data of a database made by a write is kept: the default of CREATE DATABASE. */
const defaultKeepDays = 3650;
/** Longest name of a database, in bytes (SQL reference, limits). */
const maxNameBytes = 64;

/**
 * The database a write goes to. A name that is not known is asked of the engine again; one that does not exist is made
 * with nanosecond precision when `create` says so (`smlAutoCreateDB`), otherwise it is thrown as a fault.
 */
export async function ensureDatabase(catalogue: Catalogue, name: string, create: boolean): Promise<DatabaseDef> {
  const known = catalogue.database(name);
  if (known !== undefined) return known;
  await catalogue.sync();
  if (catalogue.database(name) === undefined && create) {
    if (name.length === 0 || Buffer.byteLength(name) > maxNameBytes) {
      throw new FaultError(fault('parameter', Codes.invalidIdentifier, `Invalid identifier name: ${name}`));
    }
    const options = { PRECISION: 'ns', SCHEMALESS: '1' };
    await catalogue.submit([{ op: 'create-database', name, precision: 'ns', keepDays: defaultKeepDays, options }]);
  }
  const made = catalogue.database(name);
  if (made === undefined) throw new FaultError(fault('database', Codes.databaseNotExist, 'Database not exist'));
  return made;
}
