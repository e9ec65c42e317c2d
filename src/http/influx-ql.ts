/** A statement of InfluxQL that is answered here. */
export type InfluxStatement =
  | { readonly kind: 'create-database'; readonly name: string }
  | { readonly kind: 'show-databases' }
  /** Without a name: those of the database that the request names. */
  | { readonly kind: 'show-retention-policies'; readonly database: string | undefined };

/** Why a statement is not answered. */
interface Unanswered {
  readonly problem: string;
}

/** Most statements of one request. */
const maxStatements = 32;
/** A word, a name in double quotes, a text in single quotes, a comment, or any other character. */
const tokenForm = /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[\p{L}_][\p{L}\p{N}_]*|./gsuy;
const skipped = /^(?:\s|--|\/\*.*\*\/$)/s;
const plainName = /^[\p{L}_]/u;

/**
 * Reads the statements that clients send before they write: `CREATE DATABASE name`, `SHOW DATABASES` and
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
  if (rest.length > 0) return { problem: `CREATE DATABASE takes a name and nothing else, found ${rest[0]}` };
  return { kind: 'create-database', name };
}

/** A name as it stands, or what its double quotes hold. */
function nameOf(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  if (word.startsWith('"') && word.length > 1) return word.slice(1, -1).replace(/\\(.)/g, '$1');
  return plainName.test(word) ? word : undefined;
}
