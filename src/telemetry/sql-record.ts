import { hasInOrder } from '../text/in-order.js';
import { mask } from '../text/mask.js';
import { behindBlanks, literalEnd } from '../text/sql-blanks.js';

/** One statement that came over HTTP. */
export interface RecordedStatement {
  readonly requestId: string;
  /** Without secrets. */
  readonly uri: string;
  readonly method: string;
  readonly client: string;
  readonly statement: string;
}

/** Words after which a text literal is a secret: passwords of users and of connections. */
const secretWord = /\b(?:pass(?:word)?|identified\s+by)/gi;
/**
 * Most characters between such a word and its literal that are looked through; behind more of them all of the rest is
 * masked.
 */
const longestGap = 1024;
const endOfSecret = /[\s;,)]/;
/** The same without quotes, where a user is made or changed: such a statement is refused, but is recorded. */
const bareSecret = /\b(pass(?:word)?)(\s+)[^\s'"*/;]+/gi;
const aboutUser = [/\b(?:create|alter)\b/i, /\buser\b/i] as const;
const breaks: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\u2028': '\\u2028', '\u2029': '\\u2029' };

/** The statement with passwords masked. Takes linear time. */
export function withoutSecrets(statement: string): string {
  const shown = withoutLiterals(statement);
  if (!hasInOrder(shown, ...aboutUser)) return shown;
  return shown.replace(bareSecret, (_all: string, word: string, gap: string) => `${word}${gap}'${mask}'`);
}

function withoutLiterals(statement: string): string {
  let shown = '';
  let from = 0;
  secretWord.lastIndex = 0;
  for (let match = secretWord.exec(statement); match !== null; match = secretWord.exec(statement)) {
    const secret = secretBehind(statement, match.index + match[0].length);
    if (secret === undefined) continue;
    shown += `${statement.slice(from, secret.start)}'${mask}'`;
    from = secret.end;
    secretWord.lastIndex = from;
  }
  return shown + statement.slice(from);
}

/** Where the literal behind a word stands, with what is glued to it; an open one takes the rest of the statement. */
function secretBehind(statement: string, at: number): { readonly start: number; readonly end: number } | undefined {
  const near = statement.slice(at, at + longestGap);
  let gap = behindBlanks(near, 0);
  if (near[gap] === '=') gap = behindBlanks(near, gap + 1);
  const isCut = near.length === longestGap && (gap >= longestGap - 1 || near.startsWith('/*', gap));
  const start = at + gap;
  if (isCut) return { start, end: statement.length };
  if (statement[start] !== "'" && statement[start] !== '"') return undefined;
  let end = literalEnd(statement, start);
  if (end < 0) return { start, end: statement.length };
  while (end < statement.length && !endOfSecret.test(statement[end]!)) end += 1;
  return { start, end };
}

/**
 * The line of the SQL record: local time, process, request id, URI, method, client, and the statement on one line.
 */
export function recordLine(entry: RecordedStatement, now = new Date()): string {
  const { requestId, uri, method, client, statement } = entry;
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString();
  const time = `${local.slice(0, 10)} ${local.slice(11, 23)}`;
  const text = withoutSecrets(statement).replace(/[\n\r\u2028\u2029]/g, (character) => breaks[character] ?? ' ');
  return `${time} ${String(process.pid).padStart(8, '0')} ${requestId} '${uri}' '${method}' '${client}' ${text}\n`;
}
