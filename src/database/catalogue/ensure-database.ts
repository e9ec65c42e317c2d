import { defaultKeepDays } from '../../model/database-options.js';
import { Codes, FaultError, fault, missingDatabase } from '../../model/fault.js';
import type { DatabaseDef } from '../../model/schema.js';
import { systemDatabases } from '../../sql/values/context.js';
import { quotedName } from '../../text/quoted-name.js';
import type { Catalogue } from './catalogue.js';
import { Access } from './rights.js';

/** Longest name of a database, in bytes. */
const maxNameBytes = 64;

/** The target database of a write, and its user. `create`: it is made when it is missing (`smlAutoCreateDB`). */
interface WrittenDatabase {
  readonly name: string;
  readonly create: boolean;
  /** How long it keeps rows then; {@link defaultKeepDays} when left out. */
  readonly keepDays?: number | undefined;
  readonly user: string;
}

/**
 * The database a write goes to. The catalogue is read again for an unknown name; one that does not exist is made
 * with nanosecond precision when that is wanted and the user may make databases, otherwise it is thrown as a fault.
 */
export async function ensureDatabase(catalogue: Catalogue, written: WrittenDatabase): Promise<DatabaseDef> {
  const database = await existing(catalogue, written);
  if (database === undefined) throw new FaultError(missingDatabase(written.name));
  return database;
}

async function existing(
  catalogue: Catalogue,
  { name, create, keepDays, user }: WrittenDatabase,
): Promise<DatabaseDef | undefined> {
  const known = catalogue.database(name);
  if (known !== undefined) return known;
  await catalogue.sync();
  const access = new Access(catalogue, user);
  if (catalogue.database(name) === undefined && create && access.createsDatabases) {
    if (systemDatabases.includes(name)) throw access.refusal(name);
    if (name.length === 0 || Buffer.byteLength(name) > maxNameBytes) {
      throw new FaultError(fault('parameter', Codes.invalidIdentifier, `Invalid identifier name: ${name}`));
    }
    const kept = keepDays === undefined ? {} : { KEEP: `${keepDays}d` };
    const options = { PRECISION: 'ns', SCHEMALESS: '1', ...kept };
    const owner = access.isAdministrator ? {} : { owner: user };
    const created = { precision: 'ns', keepDays: keepDays ?? defaultKeepDays, options, ...owner } as const;
    await catalogue.submit([{ op: 'create-database', name, ...created }]);
  }
  return catalogue.database(name);
}

/** True when a database is there and a user may write to all of it: then {@link ensureWritable} has nothing to do. */
export function isWritable(catalogue: Catalogue, { name, user }: Omit<WrittenDatabase, 'create'>): boolean {
  return catalogue.database(name) !== undefined && new Access(catalogue, user).may('WRITE', name);
}

/**
 * Like {@link ensureDatabase}, for writes that make tables as they need them: the user must have WRITE on all of it.
 */
export async function ensureWritable(catalogue: Catalogue, written: WrittenDatabase): Promise<DatabaseDef> {
  const { name, create, user } = written;
  const access = new Access(catalogue, user);
  // Who could neither write nor make it does not learn whether it exists.
  if (!(create && access.createsDatabases)) access.require('WRITE', name);
  const database = await existing(catalogue, written);
  if (database === undefined) {
    const { kind, code, message } = missingDatabase(name);
    throw new FaultError(fault(kind, code, `${message}; CREATE DATABASE ${quotedName(name)} makes it`));
  }
  access.require('WRITE', name);
  return database;
}
