import { sqlName } from '../model/names.js';

/** The text that stands for a sub-table, with what comes before it. */
const placeholder = /(\.?)([`'"]?)xxxx/g;

/**
 * Puts a sub-table in the place of every `xxxx`: with its database, or alone where a dot stands before it; as it is stored
 * where the text is quoted already.
 */
export function forChild(sql: string, database: string, table: string): string {
  return sql.replace(placeholder, (_, dot: string, quote: string) => {
    if (quote !== '') return `${dot}${quote}${table}`;
    return dot === '.' ? `.${sqlName(table, false)}` : `${sqlName(database, false)}.${sqlName(table, false)}`;
  });
}
