import { nameText } from './lines.js';

/** A comment that says the type of a name, which may stand in quotes. */
const typeLine = /^#[ \t]+TYPE[ \t]+(?:"((?:[^"\\]|\\.)*)"|(\S+))[ \t]+(\S+)[ \t]*$/;
/** Most bytes of a comment that are looked at. */
const maxCommentBytes = 512;

/** The comment that ends OpenMetrics text. */
export const endOfOpenMetrics = '# EOF';

/** Suffixes that a sample may have behind the name of its family. */
export const familySuffixes = /_(?:total|created|info|bucket|g?sum|g?count)$/;

/** The text of the comment in `bytes[start, end)`, as far as it is looked at. */
export function commentText(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.subarray(start, Math.min(end, start + maxCommentBytes))).toString();
}

/** Type of a name by its comment; undefined when the comment says something else. */
export function readTypeLine(text: string): { readonly name: string; readonly type: string } | undefined {
  const [, quoted, plain, type] = typeLine.exec(text) ?? [];
  const name = quoted === undefined ? plain : nameText(Buffer.from(quoted), 0, Buffer.byteLength(quoted));
  return name === undefined || type === undefined ? undefined : { name, type };
}
