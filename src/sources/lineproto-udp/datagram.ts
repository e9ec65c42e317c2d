import { endsItsLines, endsWithTime } from '../../transforms/wire/line-cutter.js';

/**
 * True for a datagram that others may stand behind in one text. Not where a string of it could go on in them, nor where
 * its last row brings no time: rows without one have that of their text's arrival, and those of one series would
 * replace each other.
 */
export function mayStandBefore(datagram: Buffer): boolean {
  return endsWithTime(datagram) && endsItsLines(datagram);
}
