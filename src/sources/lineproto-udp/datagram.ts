import { carriageReturn, isDigit, lineFeed, minus, space } from '../../bytes/ascii.js';
import { endsItsLines } from '../../transforms/wire/line-cutter.js';

/**
 * True for a datagram that others may stand behind in one text. Not where a string of it could go on in them, nor where its last row brings no
 * time: rows without one have that of their text's arrival, and those of one series would replace each other.
 */
export function mayStandBefore(datagram: Buffer): boolean {
  return endsWithTime(datagram) && endsItsLines(datagram);
}

/** True where the last line ends with a whole number behind a blank. */
function endsWithTime(datagram: Buffer): boolean {
  let end = datagram.length;
  while (end > 0 && isBlank(datagram[end - 1]!)) end--;
  let start = end;
  while (start > 0 && isDigit(datagram[start - 1]!)) start--;
  if (start === end) return end === 0;
  if (datagram[start - 1] === minus) start--;
  return datagram[start - 1] === space;
}

function isBlank(byte: number): boolean {
  return byte === space || byte === lineFeed || byte === carriageReturn;
}
