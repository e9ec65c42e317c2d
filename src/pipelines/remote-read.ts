import { yieldToEventLoop } from '../async/event-loop.js';
import type { Catalogue } from '../database/catalogue/catalogue.js';
import { ensureDatabase } from '../database/catalogue/ensure-database.js';
import { Access } from '../database/catalogue/rights.js';
import type { Engine, ResultOptions } from '../database/engine/engine.js';
import type { Storage } from '../database/store/storage.js';
import type { Exchange, SeriesAnswer, SeriesRequest } from '../model/exchange.js';
import { Codes, FaultError, fault } from '../model/fault.js';
import { metricsTable } from '../model/label-set.js';
import { ticksPerSecond } from '../model/schema.js';
import type { SeriesQuery } from '../model/series-query.js';
import { planSeries, type SeriesTable, seriesTable } from '../sql/plan/labelled-series.js';
import { withCurrentSchema } from '../statements/current-schema.js';
import { RequestReply, type RequestReplyContext } from '../statements/request-reply.js';
import { storedIfRoom } from '../statements/stored-if-room.js';
import { joinResults, ReadBudget, ReadResult } from '../transforms/encode/remote-read.js';
import { parseRemoteRead } from '../transforms/parse/remote-read.js';
import { metricsValue } from '../transforms/points/label-set.js';
import { deflateSnappy } from '../transforms/wire/deflate-snappy.js';
import { requirePatterns } from './series/patterns.js';
import type { WritePipeline } from './writes.js';

/** Context of the remote-read pipeline. */
interface RemoteReadContext extends RequestReplyContext {
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly storage: Storage;
  readonly writes: Pick<WritePipeline, 'visible'>;
  /** Longest request, inflated. */
  readonly maxMessageBytes: number;
  /** Longest answer before it is compressed: what is held of it in memory. */
  readonly maxAnswerBytes: number;
}

/** Compressed bytes between yields to the event loop. */
const turnBytes = 256 * 1024;

/** Request-reply over labelled series: decode, plan, read in columns, encode. */
export class RemoteReadPipeline extends RequestReply<SeriesRequest, SeriesAnswer> {
  constructor(context: RemoteReadContext) {
    super('remote-read', context, (exchange, user) => read(exchange, user, context));
  }
}

async function read(
  { request, aborted }: Exchange<SeriesRequest, SeriesAnswer>,
  user: string,
  context: RemoteReadContext,
): Promise<SeriesAnswer> {
  const queries = parseRemoteRead(request.message, context.maxMessageBytes);
  await checkRight(request.database, user, context.catalogue);
  const matchers = queries.flatMap((query) => query.matchers);
  await requirePatterns(matchers, context.engine, aborted);
  await storedIfRoom(context.writes.visible([{ database: request.database, table: metricsTable }]));
  const results = await withCurrentSchema(context, async () => {
    const table = await findTable(request.database, user, context);
    const budget = new ReadBudget(context.maxAnswerBytes);
    const results: ReadResult[] = [];
    for (const query of queries) {
      aborted.throwIfAborted();
      results.push(await readOne(table, query, request.rowLimit, budget, context.engine, { owner: user }, aborted));
    }
    return results;
  });
  return compress(results);
}

/** The user must have READ on the table; another process may have granted it a moment ago. */
async function checkRight(database: string, user: string, catalogue: Catalogue): Promise<void> {
  const access = new Access(catalogue, user);
  if (access.may('READ', database, metricsTable)) return;
  await catalogue.sync();
  access.require('READ', database, metricsTable);
}

/** The table of the series; undefined when nothing was written to the database yet. */
async function findTable(
  name: string,
  user: string,
  { catalogue, storage }: RemoteReadContext,
): Promise<SeriesTable | undefined> {
  const database = await ensureDatabase(catalogue, { name, create: false, user });
  if (catalogue.table(name, metricsTable) === undefined) await catalogue.sync();
  const table = catalogue.table(name, metricsTable);
  if (table === undefined) return undefined;
  const series = seriesTable(table, metricsValue, BigInt(ticksPerSecond(database.precision)) / 1000n);
  if (series === undefined) {
    const text = `table "${metricsTable}" is not one of remote write: it lacks a JSON tag, or a column "${metricsValue}" of numbers`;
    throw new FaultError(fault('parameter', Codes.invalidParameters, text));
  }
  await storage.ensure(database, table);
  return series;
}

async function readOne(
  table: SeriesTable | undefined,
  query: SeriesQuery,
  rowLimit: number,
  budget: ReadBudget,
  engine: Engine,
  how: ResultOptions,
  aborted: AbortSignal,
): Promise<ReadResult> {
  const result = new ReadResult(budget);
  const plan = table === undefined ? undefined : planSeries(table, query, rowLimit);
  if (plan === undefined) return result;
  const series: Uint8Array[] = [];
  for await (const piece of await engine.result(plan.series, how)) {
    budget.take(piece.length);
    series.push(piece);
  }
  if (series.length === 0) return result;
  await result.addSeries(Buffer.concat(series));
  for await (const piece of await engine.result(plan.samples, how)) {
    // The reader has left; leaving the loop cancels the statement.
    if (aborted.aborted) break;
    result.addRows(piece);
  }
  return result;
}

/** Compresses the results; what was read is let go of as soon as that is done. */
async function compress(results: readonly ReadResult[]): Promise<SeriesAnswer> {
  const joined = await joinResults(results);
  const parts: Uint8Array[] = [];
  let length = 0;
  let turn = turnBytes;
  for (const part of deflateSnappy(joined.parts, joined.length)) {
    parts.push(part);
    length += part.length;
    if (length < turn) continue;
    turn = length + turnBytes;
    await yieldToEventLoop();
  }
  return { parts, length };
}
