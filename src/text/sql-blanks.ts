/**
 * The first offset at or after `from` that is neither white space nor part of a closed comment of SQL, in linear time.
 * A comment of dashes ends with its line, or with the text; a comment that is not closed is no blank.
 */
export function behindBlanks(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (isBlank(code)) at += 1;
    else if (code === minus && text.charCodeAt(at + 1) === minus) {
      const end = text.indexOf('\n', at);
      if (end < 0) return text.length;
      at = end + 1;
    } else if (code === slash && text.charCodeAt(at + 1) === star) {
      const close = text.indexOf('*/', at + 2);
      if (close < 0) return at;
      at = close + 2;
    } else return at;
  }
}

/**
 * The offset behind the text literal whose quote, `'` or `"`, stands at `start`; -1 when it is not closed. A backslash
 * takes the meaning of the character behind it, and a doubled quote stands for itself.
 */
export function literalEnd(text: string, start: number): number {
  const quote = text.charCodeAt(start);
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === backslash) at += 2;
    else if (code !== quote) at += 1;
    else if (text.charCodeAt(at + 1) === quote) at += 2;
    else return at + 1;
  }
  return -1;
}

const star = 42;
const minus = 45;
const slash = 47;
const backslash = 92;

/** Blank, and tab to carriage return. */
function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}
