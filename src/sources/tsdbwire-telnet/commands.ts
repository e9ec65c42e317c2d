import { carriageReturn, lineFeed, space } from '../../bytes/ascii.js';

/** Words that are commands when they stand alone in a line; every other line is data. */
export const commandWords = ['version', 'help', 'stats', 'exit'] as const;
/** A line that is no data and is answered. */
export type Command = (typeof commandWords)[number];

/** A command, or data lines between commands. */
type Piece = { readonly command: Command } | { readonly bytes: Uint8Array; readonly lines: number };

const words = new Map<number, readonly [word: Command, bytes: Uint8Array]>(
  commandWords.map((word) => [word.charCodeAt(0), [word, Buffer.from(word)]]),
);
const longestWord = Math.max(...commandWords.map((word) => word.length));

/** Takes whole lines apart at the commands among them. Of a line that is data only the first byte is checked. */
export function splitCommands(bytes: Buffer): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let lines = 0;
  for (let at = 0; at < bytes.length; ) {
    const lineFeedAt = bytes.indexOf(lineFeed, at);
    const end = lineFeedAt < 0 ? bytes.length : lineFeedAt;
    const command = commandIn(bytes, at, end);
    if (command === undefined) {
      lines++;
    } else {
      if (lines > 0) pieces.push({ bytes: bytes.subarray(from, at), lines });
      pieces.push({ command });
      from = end + 1;
      lines = 0;
    }
    at = end + 1;
  }
  if (lines > 0) pieces.push({ bytes: bytes.subarray(from), lines });
  return pieces;
}

function commandIn(bytes: Buffer, start: number, end: number): Command | undefined {
  const candidate = words.get(bytes[start] ?? 0);
  if (candidate === undefined || end - start < 4) return undefined;
  const [word, expected] = candidate;
  let stop = end;
  // A line of data is not walked backwards: what follows the word must be short.
  if (end - start > longestWord + 8) return undefined;
  while (stop > start && (bytes[stop - 1] === carriageReturn || bytes[stop - 1] === space)) stop--;
  return bytes.compare(expected, 0, expected.length, start, stop) === 0 ? word : undefined;
}
