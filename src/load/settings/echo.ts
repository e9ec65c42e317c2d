import { mask } from '../../text/mask.js';
import {
  type DatabasePlan,
  type InsertScenario,
  type LoadScenario,
  maxRequestsInFlight,
  maxRowsInFlight,
  type QueryScenario,
  type SubscribeScenario,
  type SuperTablePlan,
} from '../model/scenario.js';

/** The whole scenario as JSON text, every default filled in and the password masked. */
export function scenarioText(scenario: LoadScenario): string {
  return JSON.stringify(scenario, shown, 2);
}

/** Plan of a run, in lines for a person: what is dropped, made, written or queried. */
export function planLines(scenario: LoadScenario): readonly string[] {
  switch (scenario.kind) {
    case 'insert':
      return insertLines(scenario);
    case 'query':
      return queryLines(scenario);
    case 'subscribe':
      return subscribeLines(scenario);
  }
}

function shown(key: string, value: unknown): unknown {
  if (key === 'password') return mask;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return value === Number.POSITIVE_INFINITY ? 'for ever' : value;
}

function insertLines({ supplement, databases, streams, threads }: InsertScenario): readonly string[] {
  const lines = databases.flatMap((database) => [
    databaseLine(database, supplement),
    ...database.superTables.map(tableLine),
  ]);
  const estimate = estimateLine(databases, threads);
  if (estimate !== undefined) lines.push(estimate);
  return streams.length === 0 ? lines : [...lines, `Streams ${names(streams)} will be dropped and made anew.`];
}

function databaseLine({ name, drop }: DatabasePlan, supplement: boolean): string {
  if (drop) return `Database ${name} will be DROPPED if it exists, and made anew.`;
  return supplement ? `Database ${name} and its super tables are used as they are.` : `Database ${name} must exist.`;
}

function tableLine(plan: SuperTablePlan): string {
  const tables = tablesOf(plan);
  const isBound = plan.childExists || plan.tagsFile !== undefined;
  const kind = counted(tables, plan.normalTables ? 'normal table' : 'sub-table');
  const some = `${isBound ? 'at most ' : ''}${kind}${plan.tagsFile === undefined ? '' : `, one per line of ${plan.tagsFile}`}`;
  const what = plan.normalTables ? some : `super table ${plan.name} with ${some}`;
  const where = `  ${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  if (plan.nonStop) return `${where}: rows by ${plan.mode} until it is interrupted.`;
  if (plan.sample?.useTimes === true) return `${where}: the rows of ${plan.sample.file} by ${plan.mode}.`;
  const total = `${isBound ? 'at most ' : ''}${tables * plan.rows} in all`;
  return `${where}: ${counted(plan.rows, 'row')} each by ${plan.mode}, ${total}.`;
}

function tablesOf(plan: SuperTablePlan): number {
  return plan.childExists ? plan.childLimit : plan.childTo - plan.childFrom;
}

/** `1 row`, `2 rows`. */
function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** Rows per second that a run is taken to write: what two processors of today do by most modes. */
const usualRowsPerSecond = 200_000;
/** Milliseconds until a short request is answered, of each thread: a disk forces a file in about that time. */
const usualRequestMs = 10;
/** Bytes of a row of random values on disk beside its columns; rows that are alike take a third of all that. */
const bytesBesideColumns = 8;

/** How long a run may take, and how much disk; undefined when that is unknown, or less than a second. */
function estimateLine(databases: readonly DatabasePlan[], threads: number): string | undefined {
  let rows = 0;
  let bytes = 0;
  let requestSeconds = 0;
  let rests = false;
  for (const plan of databases.flatMap(({ superTables }) => superTables)) {
    if (plan.nonStop || plan.sample?.useTimes === true) return undefined;
    const written = tablesOf(plan) * plan.rows;
    const width = plan.columns.reduce((sum, { type }) => sum + type.length, 0);
    rows += written;
    bytes += written * (bytesBesideColumns + width);
    requestSeconds += waitSeconds(plan, threads);
    rests ||= plan.interlaceRows > 0 && plan.insertIntervalMs > 0;
  }
  const rowSeconds = rows / usualRowsPerSecond;
  const seconds = Math.max(rowSeconds, requestSeconds);
  if (seconds < 1) return undefined;
  const pace =
    rowSeconds < requestSeconds ? `${usualRequestMs} ms per request` : `${usualRowsPerSecond} rows per second`;
  const pauses = rests ? ' and with the pauses between rounds' : '';
  return `  At ${pace}${pauses} that takes about ${durationText(seconds)}, and at most about ${sizeText(bytes)} on disk.`;
}

/** Seconds that the busiest thread of a super table waits for answers, and rests between rounds. */
function waitSeconds(plan: SuperTablePlan, threads: number): number {
  const { rows, rowsPerRequest, interlaceRows, insertIntervalMs } = plan;
  const tables = Math.ceil(tablesOf(plan) / Math.min(threads, Math.max(1, tablesOf(plan))));
  if (interlaceRows > 0 && interlaceRows <= rows) {
    const tablesPerRequest = Math.max(1, Math.floor(rowsPerRequest / interlaceRows));
    const rounds = Math.ceil(rows / Math.min(interlaceRows, rowsPerRequest));
    return (rounds * (Math.ceil(tables / tablesPerRequest) * usualRequestMs + insertIntervalMs)) / 1000;
  }
  const inFlight = Math.max(1, Math.floor(Math.min(rowsPerRequest, maxRowsInFlight) / Math.max(1, rows)));
  const atOnce = plan.mode.endsWith('rest') ? 1 : Math.min(inFlight, maxRequestsInFlight);
  return (Math.ceil((tables * Math.ceil(rows / rowsPerRequest)) / atOnce) * usualRequestMs) / 1000;
}

function durationText(seconds: number): string {
  if (seconds < 90) return counted(Math.ceil(seconds), 'second');
  return seconds < 5400 ? `${Math.round(seconds / 60)} minutes` : `${(seconds / 3600).toFixed(1)} hours`;
}

function sizeText(bytes: number): string {
  const megabytes = Math.ceil(bytes / 1e6);
  return megabytes < 1000 ? `${megabytes} MB` : `${(megabytes / 1000).toFixed(1)} GB`;
}

function queryLines({ database, mode, specified, superTable }: QueryScenario): readonly string[] {
  const lines = [`Database ${database} is queried by ${mode}.`];
  if (specified !== undefined) {
    const { queries, times, threads, mixed } = specified;
    const runs = queries.length * times * (mixed ? 1 : threads);
    lines.push(
      `  ${counted(queries.length, 'statement')}, ${counted(times, 'time')}, ${counted(threads, 'thread')}: ${runs === 1 ? '1 query' : `${runs} queries`}.`,
    );
  }
  if (superTable !== undefined) {
    const { queries, times, threads } = superTable;
    lines.push(
      `  ${counted(queries.length, 'statement')} for every sub-table of ${superTable.superTable}, ${counted(times, 'time')}, ${counted(threads, 'thread')}.`,
    );
  }
  return lines;
}

function subscribeLines({ consume }: SubscribeScenario): readonly string[] {
  if (consume.kind === 'topics') {
    return [`Topics ${names(consume.topics)} are read by ${counted(consume.consumers, 'consumer')}.`];
  }
  return consume.parts.map(
    ({ queries, threads }) => `${counted(queries.length, 'statement')} polled by ${counted(threads, 'thread')} each.`,
  );
}

function names(list: readonly { readonly name: string }[]): string {
  return list.map(({ name }) => name).join(', ');
}
