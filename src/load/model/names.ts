import { quotedName } from '../../text/quoted-name.js';
import type { StreamPlan } from './scenario.js';

const plain = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * A name that the load tool was given, as the database stores it: the dialect folds names to lower case unless they are
 * quoted, and those that need quotes get them.
 */
export function storedName(name: string, quoted: boolean): string {
  return quoted || !plain.test(name) ? name : name.toLowerCase();
}

/** A stored name as statements write it. */
export function sqlName(stored: string, quoted: boolean): string {
  return !quoted && plain.test(stored) && stored === stored.toLowerCase() ? stored : quotedName(stored);
}

/** The text that stands for a sub-table, with what comes before it. */
const placeholder = /(\.?)([`'"]?)xxxx/g;

/**
 * Puts a sub-table in the place of every `xxxx`: with its database, or alone where a dot stands before it; as it is
 * stored where the text is quoted already.
 */
export function forChild(sql: string, database: string, table: string): string {
  return sql.replace(placeholder, (_, dot: string, quote: string) => {
    if (quote !== '') return `${dot}${quote}${table}`;
    return dot === '.' ? `.${sqlName(table, false)}` : `${sqlName(database, false)}.${sqlName(table, false)}`;
  });
}

/** The statement that makes a stream. */
export function createStreamText({ name, options, target, targetOptions, sql }: StreamPlan): string {
  return ['CREATE STREAM IF NOT EXISTS', name, ...options, 'INTO', target, ...targetOptions, 'AS', sql].join(' ');
}
