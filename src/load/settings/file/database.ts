import { databaseOptionNames } from '../../../model/database-options.js';
import { suggestion } from '../../../text/nearest.js';
import { quotedText } from '../../../text/quoted-name.js';
import type { DatabasePlan } from '../../model/scenario.js';
import { database } from '../keys/insert.js';
import type { JsonMember } from '../keys/json-text.js';
import { kindOf } from '../keys/setting.js';
import type { LoadInput } from './request.js';
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

/** Answer of `dbinfo`. */
type DatabaseInfo = Pick<DatabasePlan, 'name' | 'drop' | 'precision' | 'options'>;

/** Reads `dbinfo`; undefined when it has no usable name, which is then in the report. */
export function readDatabaseInfo(section: Section, { sqlMistake }: LoadInput): DatabaseInfo | undefined {
  const name = section.get(database.name);
  const precision = section.get(database.precision);
  const drop = section.get(database.drop);
  const entries = section.others.map((member) => ({ member, options: readOption(section, member) }));
  const options = [...entries.flatMap((entry) => entry.options), `PRECISION '${precision}'`];
  const mistake = drop ? sqlMistake(`CREATE DATABASE d ${options.join(' ')}`) : undefined;
  if (mistake !== undefined) {
    const isMeant = (option: string) => mistake.startsWith(`Invalid option ${option.split(' ')[0]?.toLowerCase()}:`);
    const entry = entries.find((each) => each.options.some(isMeant));
    if (entry === undefined) section.refuse(database.name, mistake);
    else section.refuseMember(entry.member, mistake);
  }
  if (name === undefined) {
    return section.has(database.name) ? undefined : section.missing(database.name, 'the name of the database');
  }
  for (const mistake of nameMistakes('database', name)) section.refuse(database.name, mistake);
  return { name, drop, precision, options };
}

/** One option as CREATE DATABASE takes it; none for an option that the database does not have. */
function readOption(section: Section, member: JsonMember): readonly string[] {
  const { key, value } = member;
  if (isNotGiven(value)) return [];
  if (value.kind !== 'number' && value.kind !== 'string') {
    const problem = `expected a number or a text, found ${kindOf(value)}`;
    section.refuseMember(member, `invalid value format for ${key}: ${problem}`);
    return [];
  }
  const lower = key.toLowerCase();
  const name = olderNames.get(lower) ?? key.toUpperCase();
  if (goneNames.has(lower)) {
    section.warnMember(member, 'has no effect: the database has no such option any more');
    return [];
  }
  if (!optionNames.includes(name)) {
    const known = [...optionNames.map((option) => option.toLowerCase()), ...olderNames.keys(), 'precision'];
    section.warnMember(member, `is no option of a database and ignored${suggestion(key, known)}`);
    return [];
  }
  const text = unquoted(value.text.trim());
  if (name === 'REPLICA' && Number(text) > 1) section.warnMember(member, oneCopy);
  return [`${name} ${optionValue(lower === 'cachelast' ? (cacheModels.get(text) ?? text) : text)}`];
}

/** Files that programs write have every option, and nothing in those that nobody chose. */
function isNotGiven(value: JsonMember['value']): boolean {
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
