import type { TopicMessage } from '../../model/topic-message.js';

/**
 * A message as lines of a rows file: the consumer and the number of its message, where the rows are from, and for each row
 * its table and number and then its values, separated by blanks. NULL is printed as a word.
 */
export function messageLines(message: TopicMessage, consumer: number, number: number): string {
  const { database, table, topic, vgroup, names, rows } = message;
  let text = `consumerId: ${consumer}, message: ${number}\n`;
  text += `database: ${database}, table: ${table}, topic: ${topic}, vgroup: ${vgroup}\n`;
  for (let row = 0; row < rows.length; row++) {
    text += `table: ${names[row] || table}, row: ${row}\n${printedRow(rows[row] ?? '')}\n`;
  }
  return text;
}

/** The values of a row, separated by blanks. */
export function printedRow(row: string): string {
  const values = row.replaceAll('\t', ' ');
  if (!row.includes('\\N')) return values;
  return row
    .split('\t')
    .map((value) => (value === '\\N' ? 'NULL' : value))
    .join(' ');
}
