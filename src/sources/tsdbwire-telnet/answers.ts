import { lineFeed } from '../../bytes/ascii.js';
import type { Delivery } from '../../model/delivery.js';

/** Longest piece of a bad line that its answer repeats. */
const maxExcerptBytes = 80;
/** Bad lines of one batch that are answered one by one; those after them by a number. */
const maxAnswers = 20;

type Delivered = Extract<Delivery, { outcome: 'delivered' }>;

/**
 * One line for each bad line of a batch, which says why and repeats its beginning. `bytes` are the lines of the batch.
 */
export function badLineAnswers({ rejects, rejectedRows }: Delivered, bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const shown = rejects.toSorted((a, b) => a.row - b.row).slice(0, maxAnswers);
  let answer = '';
  let row = 0;
  let at = 0;
  for (const reject of shown) {
    while (row < reject.row && at < text.length) {
      const end = text.indexOf(lineFeed, at);
      at = end < 0 ? text.length : end + 1;
      row++;
    }
    answer += `put: illegal argument: ${reject.fault.message}: ${excerptAt(text, at)}\n`;
  }
  const more = rejectedRows - shown.length;
  return more > 0 ? `${answer}put: illegal argument: ${more} more lines\n` : answer;
}

/** The beginning of the line at `at`, printable. */
function excerptAt(text: Buffer, at: number): string {
  const lineEnd = text.indexOf(lineFeed, at);
  const end = Math.min(lineEnd < 0 ? text.length : lineEnd, at + maxExcerptBytes);
  return text.toString('utf8', at, end).replace(/\p{C}/gu, ' ').trim();
}

/** The answer to lines of which none was stored: how many they were, and whether a retry may help. */
export function deliveryAnswer(delivery: Exclude<Delivery, Delivered>, lines: number): string {
  if (delivery.outcome === 'shed') return `put: please throttle writes: the service takes no more (lines: ${lines})\n`;
  const word = delivery.outcome === 'rejected' ? 'refused' : 'not stored';
  return `put: ${word}: ${delivery.fault.message} (lines: ${lines})\n`;
}

/** Answer to a line above the limit. */
export function overlongAnswer(maxLineBytes: number): string {
  return `put: illegal argument: the line is longer than ${maxLineBytes} bytes\n`;
}
