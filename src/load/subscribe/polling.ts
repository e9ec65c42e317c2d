import { AsyncIterableX } from 'ix/asynciterable/asynciterablex';
import { isTransientError } from '../../model/fault.js';
import { pause } from '../../pipelines/pause.js';
import { faultLine } from '../execution/statements.js';
import type { ConsumerPort, ReceivedMessage } from '../model/ports.js';
import type { SubscribeRun } from './consumption.js';

/** How long a database that cannot be reached is waited for, and the pause between two attempts. */
const patienceMs = 60_000;
const pauseMs = 500;

/**
 * The messages of a consumer, over outages of the database that pass: what was not given out yet comes afterwards, what
 * was not committed may come again.
 */
export async function* polledThrough(
  poller: ConsumerPort,
  waitMs: number,
  { log, stop }: Pick<SubscribeRun, 'log' | 'stop'>,
): AsyncGenerator<ReceivedMessage, void, void> {
  let since: number | undefined;
  for (;;) {
    try {
      for await (const message of topicRows(poller, waitMs, stop)) {
        since = undefined;
        yield message;
      }
      return;
    } catch (error) {
      if (!isTransientError(error) || stop.aborted) throw error;
      if (since === undefined) log.warn(`The database is waited for: ${faultLine(error.fault)}`);
      since ??= Date.now();
      if (Date.now() - since > patienceMs) throw error;
    }
    await pause(pauseMs, stop);
  }
}

/**
 * The messages of one consumer, pulled: the next poll comes after the message before was processed. Ends when none came
 * within `waitMs` (negative waits for ever) or `signal` says so; fails as polling does.
 */
export function topicRows(poller: ConsumerPort, waitMs: number, signal: AbortSignal): AsyncIterableX<ReceivedMessage> {
  return AsyncIterableX.from(messages(poller, waitMs, signal));
}

async function* messages(
  poller: ConsumerPort,
  waitMs: number,
  signal: AbortSignal,
): AsyncGenerator<ReceivedMessage, void, void> {
  while (!signal.aborted) {
    const message = await poller.poll(waitMs, signal);
    if (message === undefined) return;
    yield message;
  }
}

/**
 * A message as lines of a rows file: the consumer and the number of its message, where the rows are from, and for each
 * row its table and number and then its values, separated by blanks. NULL is printed as a word.
 */
export function messageLines(message: ReceivedMessage, consumer: number, number: number): string {
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
