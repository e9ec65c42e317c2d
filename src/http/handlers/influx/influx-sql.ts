import { mostKeepDays } from '../../../model/database-options.js';
import { isWhole, type SqlAnswer, type SqlRequest } from '../../../model/exchange.js';
import type { Fault } from '../../../model/fault.js';
import { sendRequest } from '../../answer/send-request.js';
import type { AdmittedCall, HandlerContext } from '../../request/call.js';

/** Rows of an answer, or why there is none. */
export type InfluxRows = readonly (readonly unknown[])[] | Fault;

/** Runs a statement with the rights of the user of a call, and gives its rows; none where it is no query. */
export async function runSql(
  { id, credentials, aborted }: AdmittedCall,
  { intake }: HandlerContext,
  text: string,
): Promise<InfluxRows> {
  const request: SqlRequest = {
    statement: Buffer.from(text),
    database: undefined,
    credentials,
    timeZone: 'UTC',
    connectionZone: undefined,
    form: 'arrays',
    rowLimit: -1,
  };
  const outcome = await sendRequest<SqlRequest, SqlAnswer>((exchange) => intake.sql(exchange), id, request, aborted);
  if (outcome.kind === 'refused') return outcome.fault;
  if (outcome.answer.kind === 'affected') return [];
  const { lines } = outcome.answer;
  const pieces: Uint8Array[] = [];
  if (isWhole(lines)) pieces.push(...lines);
  else for await (const piece of lines) pieces.push(piece);
  const rows: unknown = JSON.parse(
    `[${Buffer.concat(pieces).toString().trim().split('\n').filter(Boolean).join(',')}]`,
  );
  return Array.isArray(rows) ? rows.filter((row) => Array.isArray(row)) : [];
}

const dayMinutes = 24 * 60;
/** Least and most that a database keeps rows. */
const [leastKeep, mostKeep] = [dayMinutes, mostKeepDays * dayMinutes];

/** Options of a database that clients make, which keeps rows so long: a day at least, and as long as a database can without a time. */
export function databaseOptions(keepMinutes = mostKeep): string {
  return `PRECISION 'ns' ${keepOption(keepMinutes)}`;
}

/** The option of a database that keeps rows so long, or as long as it can. */
export function keepOption(keepMinutes = mostKeep): string {
  return `KEEP ${Math.min(mostKeep, Math.max(leastKeep, keepMinutes))}m`;
}

/** The seconds after which rows expire, as clients write it: 0 is never. */
export function expirySeconds(keep: string): number {
  const minutes = minutesIn(keep);
  return minutes >= mostKeep ? 0 : minutes * 60;
}

/** True for databases that are not the user's. */
export function isSystem(name: string): boolean {
  return name === 'information_schema' || name === 'performance_schema';
}

const unitMinutes: Readonly<Record<string, number>> = { m: 1, h: 60, d: dayMinutes };

/** Whole minutes of the longest of the spans in `KEEP`. */
function minutesIn(keep: string): number {
  const spans = [...keep.matchAll(/(\d+)(\D?)/g)].map(
    ([, count, unit = '']) => Number(count) * (unitMinutes[unit] ?? 0),
  );
  return Math.max(0, ...spans);
}
