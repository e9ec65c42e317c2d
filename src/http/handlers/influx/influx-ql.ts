import { readDuration } from '../../../text/duration.js';

/** A statement of InfluxQL that is answered here. */
export type InfluxStatement =
  | {
      readonly kind: 'create-database';
      readonly name: string;
      /** How long it keeps rows, in minutes, as a policy says it; left out where none does, or for ever. */
      readonly keepMinutes?: number;
    }
  | { readonly kind: 'drop-database'; readonly name: string }
  | { readonly kind: 'show-databases' }
  /** A policy of a database that is made, changed or dropped. */
  | { readonly kind: 'retention-policy'; readonly database: string }
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
 * Reads the statements that clients send around their writes: `CREATE DATABASE name [WITH policy]`, `DROP DATABASE
 * name`, `SHOW DATABASES`, `SHOW RETENTION POLICIES [ON name]` and `CREATE`, `ALTER` and `DROP RETENTION POLICY`, with
 * semicolons between them. Any other one is unanswered, and says so by name.
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
  if (head[0] === 'DROP' && head[1] === 'DATABASE') return readDrop(words);
  if (/^(?:CREATE|ALTER|DROP) RETENTION POLICY$/.test(head.join(' '))) return readPolicyStatement(words);
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

function readDrop(words: readonly string[]): InfluxStatement | Unanswered {
  const name = nameOf(words[2]);
  if (words.length !== 3 || name === undefined)
    return { problem: 'DROP DATABASE takes the name of a database, nothing else' };
  return { kind: 'drop-database', name };
}

function readPolicyStatement(words: readonly string[]): InfluxStatement | Unanswered {
  const [verb, policy, on, database] = [words[0]?.toUpperCase(), nameOf(words[3]), words[4], nameOf(words[5])];
  if (policy === undefined || on?.toUpperCase() !== 'ON' || database === undefined) {
    return { problem: `${verb} RETENTION POLICY takes a name, ON and the name of a database` };
  }
  const clauses = words.slice(6).filter((word) => verb === 'DROP' || word.toUpperCase() !== 'DEFAULT');
  const read = clauses.length === 0 ? {} : readPolicy(clauses);
  return 'problem' in read ? read : { kind: 'retention-policy', database };
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
      return { problem: 'a policy takes DURATION, REPLICATION, SHARD DURATION and NAME, each with a value' };
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
    text.replace(/(\d+)(\D?)/g, (span, count, unit) =>
      Object.hasOwn(hoursIn, unit) ? `${Number(count) * hoursIn[unit]!}h` : span,
    ),
  );
  return milliseconds === undefined ? undefined : Math.ceil(milliseconds / 60_000);
}

/** A name as it stands, or what its double quotes hold. */
function nameOf(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  if (word.startsWith('"') && word.length > 1) return word.slice(1, -1).replace(/\\(.)/g, '$1');
  return plainName.test(word) ? word : undefined;
}
