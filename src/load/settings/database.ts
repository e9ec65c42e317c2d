import { databaseOptionNames } from '../../model/database-options.js';
import type { JsonMember } from '../../text/json-tree.js';
import { suggestion } from '../../text/nearest.js';
import { quotedText } from '../../text/quoted-name.js';
import type { DatabasePlan } from '../model/scenario.js';
import type { LoadInput } from './input.js';
import { kindOf } from './keys/setting.js';
import { database } from './keys/table.js';
import { nameMistakes } from './rules.js';
import type { Section } from './section.js';

/** Options that `dbinfo` may have; its `precision` is a key of its own. */
const optionNames: readonly string[] = databaseOptionNames.filter((name) => name !== 'PRECISION');

/** Older names of options, in lower case. */
const olderNames: ReadonlyMap<string, string> = new Map([
  ['days', 'DURATION'],
  ['fsync', 'WAL_FSYNC_PERIOD'],
  ['wallevel', 'WAL_LEVEL'],
  ['cachelast', 'CACHEMODEL'],
]);

/** Options of older databases that are gone; they never changed a result. */
const goneNames: ReadonlySet<string> = new Set(['cache', 'blocks', 'quorum', 'update']);

/** Today's words for the numbers of cacheLast. */
const cacheModels: ReadonlyMap<string, string> = new Map([
  ['0', 'none'],
  ['1', 'last_row'],
  ['2', 'last_value'],
  ['3', 'both'],
]);

/** Note about more than one replica. */
export const oneCopy = 'is recorded, but the data has one copy: there is one engine';

/** Reads `dbinfo`; undefined when it has no usable name, which is then in the report. */
export function readDatabaseInfo(
  section: Section,
  { sqlMistake }: LoadInput,
): Pick<DatabasePlan, 'name' | 'drop' | 'precision' | 'options'> | undefined {
  const { name, precision, drop } = section.all(database, 'name', 'precision', 'drop');
  const entries = section.others.map((member) => ({ member, option: readOption(section, member) }));
  const options = [...entries.flatMap(({ option }) => option ?? []), `PRECISION '${precision}'`];
  const mistake = drop ? sqlMistake(`CREATE DATABASE d ${options.join(' ')}`) : undefined;
  if (mistake !== undefined) {
    const named = (option = ''): string => `Invalid option ${option.split(' ')[0]?.toLowerCase()}:`;
    const entry = entries.find(({ option }) => mistake.startsWith(named(option)));
    section.refuse(entry?.member ?? database.name, mistake);
  }
  if (name === undefined) {
    return section.has(database.name) ? undefined : section.missing(database.name, 'the name of the database');
  }
  for (const mistake of nameMistakes('database', name)) section.refuse(database.name, mistake);
  return { name, drop, precision, options };
}

/** One option as CREATE DATABASE takes it; undefined for an option that the database does not have. */
function readOption(section: Section, member: JsonMember): string | undefined {
  const { key, value } = member;
  if (isAbsent(value)) return undefined;
  if (value.kind !== 'number' && value.kind !== 'string') {
    const problem = `expected a number or a text, found ${kindOf(value)}`;
    return section.refuse(member, `invalid value format for ${key}: ${problem}`);
  }
  const lower = key.toLowerCase();
  const name = olderNames.get(lower) ?? key.toUpperCase();
  if (goneNames.has(lower)) {
    section.warn(member, 'has no effect: the database has no such option any more');
    return undefined;
  }
  if (!optionNames.includes(name)) {
    const known = [...optionNames.map((option) => option.toLowerCase()), ...olderNames.keys(), 'precision'];
    section.warn(member, `is no option of a database and ignored${suggestion(key, known)}`);
    return undefined;
  }
  const text = unquoted(value.text.trim());
  if (name === 'REPLICA' && Number(text) > 1) section.warn(member, oneCopy);
  return `${name} ${optionValue(lower === 'cachelast' ? (cacheModels.get(text) ?? text) : text)}`;
}

/** Files that programs write have every option, and empty ones for defaults. */
function isAbsent(value: JsonMember['value']): boolean {
  return value.kind === 'null' || (value.kind === 'string' && value.text.trim() === '');
}

/** Many files have the quotes of the statement in their text, such as `"'both'"`. */
function unquoted(text: string): string {
  return /^(?:'.*'|".*")$/.test(text) ? text.slice(1, -1) : text;
}

/** Numbers and lengths of time stand as they are, everything else in quotes. */
function optionValue(text: string): string {
  return /^-?\d+(\.\d+)?[a-z]?(,-?\d+[a-z]?)*$/i.test(text) ? text : quotedText(text);
}
