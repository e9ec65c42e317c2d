import type { InsertScenario, SuperTablePlan } from '../../../src/load/model/scenario.js';
import { type Files, insertOf, loadRequest } from './request.js';

/** Keys of one level of a JSON file. */
export type Keys = Readonly<Record<string, unknown>>;

const columns = [{ type: 'int' }];
const tags = [{ type: 'int' }];
const table: Keys = { name: 'till', childtable_prefix: 't_', columns, tags };

/** A file with one database of one super table. */
export function file(superTable: Keys = {}, dbinfo: Keys = {}, top: Keys = {}): Files {
  const databases = [{ dbinfo: { name: 'shop', ...dbinfo }, super_tables: [{ ...table, ...superTable }] }];
  return { 'a.json': { filetype: 'insert', databases, ...top } };
}

/** What the load tool makes of such a file. */
export function request(superTable: Keys = {}, dbinfo: Keys = {}, top: Keys = {}) {
  return loadRequest(['-f', 'a.json'], file(superTable, dbinfo, top));
}

/** The scenario of such a file. */
export function scenario(superTable: Keys = {}, dbinfo: Keys = {}, top: Keys = {}): InsertScenario {
  return insertOf(request(superTable, dbinfo, top));
}

/** The only super table of such a file. */
export function plan(superTable: Keys = {}, dbinfo: Keys = {}, top: Keys = {}): SuperTablePlan {
  const plan = scenario(superTable, dbinfo, top).databases[0]?.superTables[0];
  if (plan === undefined) throw new Error('There is no super table.');
  return plan;
}
