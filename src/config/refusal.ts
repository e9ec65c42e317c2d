import type { OptionRow } from '../model/option.js';
import { mask } from '../text/mask.js';

/**
 * The text of a setting as people may see it: secrets are masked, and so are the credentials inside addresses
 * (`https://user:word@host`).
 */
export function maskedText(row: Pick<OptionRow, 'type'>, text: string): string {
  if (row.type === 'secret') return text === '' ? '' : mask;
  return text.replace(/([a-z]:\/\/)[^\s/]*@/gi, `$1${mask}@`);
}

/** A value for an error line: quoted, on one line, masked, cut when it is long. */
export function quotedText(row: Pick<OptionRow, 'type'>, text: string): string {
  const masked = maskedText(row, text);
  return JSON.stringify(masked.length > 200 ? `${masked.slice(0, 200)}...` : masked);
}

/** One line that says which setting is missing, and what it may be. */
export function missing(flag: string, needed: string): string {
  return `${flag} is not set; needed: ${needed}.`;
}

/** One line that says which setting was refused, what it was, where it came from and what is allowed instead. */
export function refusal(flag: string, value: string, origin: string, allowed: string): string {
  return `${flag}: ${value} from ${origin} is refused; allowed: ${allowed}.`;
}
