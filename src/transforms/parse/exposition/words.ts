import { lineFeed, space } from '../../../bytes/ascii.js';
import { nameText } from './lines.js';

/** A comment that says the type of a name, which may stand in quotes. */
const typeLine = /^#[ \t]+TYPE[ \t]+(?:"((?:[^"\\]|\\.)*)"|(\S+))[ \t]+(\S+)[ \t]*$/;
/** Most bytes of a comment that are read. */
const maxCommentBytes = 512;

/** The comment that ends OpenMetrics text. */
export const endOfOpenMetrics = '# EOF';
/** What is wrong with OpenMetrics text that does not end with it. */
export const missingEnd = `${endOfOpenMetrics} is missing: the text was cut off`;

/** True when the last line of OpenMetrics text is the comment that ends it. */
export function endsOpenMetrics(text: Uint8Array): boolean {
  let end = text.length;
  while (end > 0 && text[end - 1]! <= space) end--;
  const start = text.lastIndexOf(lineFeed, end - 1) + 1;
  return (
    end - start <= maxCommentBytes && Buffer.from(text.subarray(start, end)).toString().trim() === endOfOpenMetrics
  );
}

/** Suffixes that a sample may have behind the name of its family. */
export const familySuffixes = /_(?:total|created|info|bucket|g?sum|g?count)$/;

/** The text of the comment in `bytes[start, end)`, as far as it is read. */
export function commentText(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.subarray(start, Math.min(end, start + maxCommentBytes))).toString();
}

/** Type of a name by its comment; undefined when the comment says something else. */
export function readTypeLine(text: string): { readonly name: string; readonly type: string } | undefined {
  const [, quoted, plain, type] = typeLine.exec(text) ?? [];
  const name = quoted === undefined ? plain : nameText(Buffer.from(quoted), 0, Buffer.byteLength(quoted));
  return name === undefined || type === undefined ? undefined : { name, type };
}
