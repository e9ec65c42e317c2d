import { mask } from '../text/mask.js';

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
const secretLiteral =
  /\b(pass(?:word)?|identified\s+by)((?:\s|\/\*[\s\S]*?\*\/|--[^\n]*\n)*=?\s*)(?:'(?:[^'\\]|\\.|'')*'?|"(?:[^"\\]|\\.|"")*"?)[^\s;,)]*/gi;
/** The same without quotes, where a user is made or changed: such a statement is refused, but is recorded. */
const bareSecret = /\b(pass(?:word)?)(\s+)[^\s'"*/;]+/gi;
const aboutUser = /\b(?:create|alter)\b[\s\S]*\buser\b/i;
const breaks: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\u2028': '\\u2028', '\u2029': '\\u2029' };

/** The statement with passwords masked. */
export function withoutSecrets(statement: string): string {
  const masked = (_all: string, word: string, gap: string): string => `${word}${gap}'${mask}'`;
  const shown = statement.replace(secretLiteral, masked);
  return aboutUser.test(shown) ? shown.replace(bareSecret, masked) : shown;
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
