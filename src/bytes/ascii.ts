/** Bytes of ASCII that the text formats are made of. */

export const tab = 0x09;
export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;
export const space = 0x20;
export const quote = 0x22;
export const hash = 0x23;
export const apostrophe = 0x27;
export const openParenthesis = 0x28;
export const closeParenthesis = 0x29;
export const star = 0x2a;
export const plus = 0x2b;
export const comma = 0x2c;
export const minus = 0x2d;
export const dot = 0x2e;
export const slash = 0x2f;
export const zero = 0x30;
export const colon = 0x3a;
export const semicolon = 0x3b;
export const equals = 0x3d;
export const atSign = 0x40;
export const openBracket = 0x5b;
export const backslash = 0x5c;
export const closeBracket = 0x5d;
export const underscore = 0x5f;
export const backquote = 0x60;
export const lowerE = 0x65;
export const lowerN = 0x6e;
export const lowerX = 0x78;
export const openBrace = 0x7b;
export const pipe = 0x7c;
export const closeBrace = 0x7d;

/** True for a byte from 0 to 9; there is none behind the end. */
export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}
