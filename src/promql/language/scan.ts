import { quotedText } from './literals.js';

/** A mistake, and the character where it is. */
export interface Mistake {
  readonly at: number;
  readonly message: string;
}

/** A query as the grammar takes it, with every character in its place, and its first mistake within tokens. */
interface ScannedQuery {
  readonly text: string;
  readonly mistake: Mistake | undefined;
}

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const unclosed: Readonly<Record<string, string>> = {
  '(': 'unclosed left parenthesis',
  '[': 'unclosed left bracket',
  '{': 'unexpected end of input inside braces',
};
const closerNames: Readonly<Record<string, string>> = { ')': 'parenthesis', ']': 'bracket', '}': 'brace' };

/**
 * Goes through the tokens of a query as Prometheus' lexer does, where the grammar is looser or stricter: it blanks
 * comments and points without decimals, checks strings, and says which bracket lacks its counterpart.
 */
export function scanQuery(query: string): ScannedQuery {
  const open: string[] = [];
  const pieces: string[] = [];
  let written = 0;
  const blank = (from: number, to: number): void => {
    pieces.push(query.slice(written, from), ' '.repeat(to - from));
    written = to;
  };
  const finished = (mistake?: Mistake): ScannedQuery => ({ text: pieces.join('') + query.slice(written), mistake });
  let isAfterOffset = false;
  let brackets = 0;
  for (let at = 0; at < query.length; ) {
    const character = query[at]!;
    const isInDuration = isAfterOffset || brackets > 0;
    if (character === '#') {
      const lineEnd = query.indexOf('\n', at);
      const end = lineEnd < 0 ? query.length : lineEnd;
      blank(at, end);
      at = end;
    } else if (character === '"' || character === "'" || character === '`') {
      const string = stringAt(query, at, character);
      if (string.mistake !== undefined) return finished({ at, message: string.mistake });
      at = string.end;
    } else if (/[a-zA-Z0-9_:.]/.test(character)) {
      const end = wordEnd(query, at);
      const word = query.slice(at, end);
      if ((word === 'min_of' || word === 'max_of') && !isInDuration && /^\s*\(/.test(query.slice(end, end + 100))) {
        // The grammar knows these among durations alone; elsewhere they look like any function to it.
        pieces.push(query.slice(written, at), 'minute');
        written = end;
      }
      isAfterOffset = word.toLowerCase() === 'offset';
      if (query[end - 1] === '.' && /^[0-9_]+\.$/.test(word)) blank(end - 1, end);
      at = end;
    } else {
      if (character === '[') brackets++;
      if (character === ']') brackets--;
      if (character in closers) open.push(character);
      else if (character in closerNames && closers[open.pop() ?? ''] !== character) {
        const message = `unexpected right ${closerNames[character]} ${singleQuoted(character)}`;
        return finished({ at: at + 1, message });
      }
      at++;
    }
  }
  const last = open.at(-1);
  const message = last === undefined ? undefined : unclosed[last];
  return finished(message === undefined ? undefined : { at: query.length, message });
}

/** The end of a name or number. */
function wordEnd(query: string, from: number): number {
  let at = from + 1;
  while (/[a-zA-Z0-9_:.]/.test(query[at] ?? ' ')) at++;
  return at;
}

/** The end of a string, or what is wrong with it. */
function stringAt(
  query: string,
  from: number,
  quote: string,
): { readonly end: number; readonly mistake?: string | undefined } {
  for (let at = from + 1; at < query.length; at++) {
    const character = query[at]!;
    if (character === quote) return { end: at + 1 };
    if (quote === '`') continue;
    if (character === '\n') break;
    if (character !== '\\') continue;
    at++;
    const letter = query[at];
    if (letter === undefined) return { end: at, mistake: 'escape sequence not terminated' };
    if (letter !== quote && !/[abfnrtv\\0-7xuU]/.test(letter)) {
      const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      return { end: at, mistake: `unknown escape sequence U+${code} ${singleQuoted(letter)}` };
    }
  }
  return { end: query.length, mistake: quote === '`' ? 'unterminated raw string' : 'unterminated quoted string' };
}

/** A character as Go prints it. */
export function singleQuoted(character: string): string {
  return character === "'" ? "'\\''" : `'${quotedText(character).slice(1, -1).replaceAll('\\"', '"')}'`;
}
