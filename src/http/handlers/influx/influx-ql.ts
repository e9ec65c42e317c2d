import { readDuration } from '../../../text/duration.js';

/** A statement of InfluxQL that is answered here. */
export type InfluxStatement =
  | {
      readonly kind: 'create-database';
      readonly name: string;
      /** How long it keeps rows, in minutes, as a policy says it; left out where none does, or for ever. */
      readonly keepMinutes?: number;
    }
  | { readonly kind: 'show-databases' }
  /** Without a name: those of the database that the request names. */
  | { readonly kind: 'show-retention-policies'; readonly database: string | undefined };

/** Why a statement is not answered. */
interface Unanswered {
  readonly problem: string;
}

/** Most statements of one request. */
const maxStatements = 32;
/** A word, a name in double quotes, a text in single quotes, a number with units, a comment, or any other character. */
const tokenForm = /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[\p{L}\p{N}_]+|./gsuy;
const skipped = /^(?:\s|--|\/\*.*\*\/$)/s;
const plainName = /^[\p{L}_]/u;

/**
 * Reads the statements that clients send before they write: `CREATE DATABASE name [WITH policy]`, `SHOW DATABASES` and
 * `SHOW RETENTION POLICIES [ON name]`, with semicolons between them. Any other one is unanswered, and says so by name.
 */
export function readInfluxQl(text: string): (InfluxStatement | Unanswered)[] {
  const statements: (InfluxStatement | Unanswered)[] = [];
  let words: string[] = [];
  const flush = (): void => {
    if (words.length > 0) statements.push(readStatement(words));
    words = [];
  };
  for (const [token] of text.matchAll(tokenForm)) {
    if (skipped.test(token)) continue;
    if (token === ';') flush();
    else words.push(token);
    if (statements.length > maxStatements) return [{ problem: `more than ${maxStatements} statements in one request` }];
  }
  flush();
  return statements;
}

function readStatement(words: readonly string[]): InfluxStatement | Unanswered {
  const head = words.slice(0, 3).map((word) => word.toUpperCase());
  if (head[0] === 'SHOW' && head[1] === 'DATABASES' && words.length === 2) return { kind: 'show-databases' };
  if (head.join(' ') === 'SHOW RETENTION POLICIES') return readPolicies(words);
  if (head[0] === 'CREATE' && head[1] === 'DATABASE') return readCreate(words);
  return { problem: `${head.slice(0, 2).join(' ')} is not answered here` };
}

function readPolicies(words: readonly string[]): InfluxStatement | Unanswered {
  if (words.length === 3) return { kind: 'show-retention-policies', database: undefined };
  const database = nameOf(words[4]);
  if (words.length !== 5 || words[3]?.toUpperCase() !== 'ON' || database === undefined) {
    return { problem: 'SHOW RETENTION POLICIES takes ON and the name of a database, nothing else' };
  }
  return { kind: 'show-retention-policies', database };
}

function readCreate(words: readonly string[]): InfluxStatement | Unanswered {
  const isIfNotExists = words.slice(2, 5).join(' ').toUpperCase() === 'IF NOT EXISTS';
  const [name, ...rest] = words.slice(isIfNotExists ? 5 : 2).map((word, at) => (at === 0 ? nameOf(word) : word));
  if (name === undefined || name === '') return { problem: 'CREATE DATABASE needs a name' };
  if (rest.length === 0) return { kind: 'create-database', name };
  if (rest[0]?.toUpperCase() !== 'WITH') {
    return { problem: `CREATE DATABASE takes a name and WITH, found ${rest[0]}` };
  }
  const policy = readPolicy(rest.slice(1).map((word) => word ?? ''));
  return 'problem' in policy ? policy : { kind: 'create-database', name, ...policy };
}

/** Clauses of a retention policy beside its duration, each with a value, which mean nothing here. */
const otherClauses: ReadonlySet<string> = new Set([
  'REPLICATION',
  'SHARD DURATION',
  'FUTURE LIMIT',
  'PAST LIMIT',
  'NAME',
]);

/** Reads the clauses of a retention policy. */
function readPolicy(words: readonly string[]): { readonly keepMinutes?: number } | Unanswered {
  let keep: { readonly keepMinutes?: number } = {};
  let at = 0;
  do {
    const first = words[at]?.toUpperCase() ?? '';
    const clause = otherClauses.has(first) || first === 'DURATION' ? first : `${first} ${words[++at]?.toUpperCase()}`;
    const value = words[++at];
    if (value === undefined || (clause !== 'DURATION' && !otherClauses.has(clause))) {
      return { problem: 'WITH takes DURATION, REPLICATION, SHARD DURATION and NAME, each with a value' };
    }
    if (clause === 'DURATION') {
      const minutes = minutesOf(value);
      if (minutes === undefined) return { problem: `DURATION takes a time such as 30d or INF, found ${value}` };
      keep = minutes === 0 ? {} : { keepMinutes: minutes };
    }
    at++;
  } while (at < words.length);
  return keep;
}

const hoursIn: Readonly<Record<string, number>> = { d: 24, w: 168 };

/** Whole minutes of a duration of InfluxQL; 0 is for ever. */
function minutesOf(text: string): number | undefined {
  if (/^inf$/i.test(text)) return 0;
  const milliseconds = readDuration(
    text.replace(/(\d+)([dw])/g, (_, count, unit) => `${Number(count) * hoursIn[unit]!}h`),
  );
  return milliseconds === undefined ? undefined : Math.ceil(milliseconds / 60_000);
}

/** A name as it stands, or what its double quotes hold. */
function nameOf(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  if (word.startsWith('"') && word.length > 1) return word.slice(1, -1).replace(/\\(.)/g, '$1');
  return plainName.test(word) ? word : undefined;
}
