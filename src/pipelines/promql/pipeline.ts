import { randomUUID } from 'node:crypto';
import { Access } from '../../database/catalogue/rights.js';
import type { Exchange, PromqlAnswer, PromqlRequest } from '../../model/exchange.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import type { Label } from '../../model/label-set.js';
import { QueryError } from '../../promql/query-error.js';
import { ended } from '../../statements/queries/row-pieces.js';
import { type Hold, RequestReply, type RequestReplyContext } from '../../statements/request-reply.js';
import type { RunningStatements } from '../../statements/running-statements.js';
import type { SlowStatements } from '../../statements/slow-statements.js';
import { parseJson } from '../../text/json.js';
import { ReadableTables } from '../series/readable-tables.js';
import { SamplePool } from '../series/sample-pool.js';
import { SeriesLists } from '../series/series-lists.js';
import { SeriesReader } from '../series/series-reader.js';
import { readableDatabase, type SeriesContext } from '../series/series-tables.js';
import { answerOf } from './endpoints.js';
import { readSpan } from './parameters.js';
import type { AlertingRules, EndpointScope, PromqlLimits } from './scope.js';

/** A sample of a rule's expression. */
export interface RuleSample {
  readonly labels: readonly Label[];
  /** NaN where it is no number. */
  readonly value: number;
}

/** The data of an instant query. */
interface InstantData {
  readonly resultType: string;
  readonly result: unknown;
}

/** Of a request of the service itself. */
const noCredentials = { scheme: 'token', token: '' } as const;

/** Context of the PromQL pipeline. */
interface PromqlContext extends RequestReplyContext, SeriesContext {
  /** The running and the slow queries of all pipelines. */
  readonly running: RunningStatements;
  readonly slow: SlowStatements;
  /** Records how many seconds each query waited for a slot. */
  readonly waited: (seconds: number) => void;
  readonly limits: PromqlLimits;
  readonly alerting: AlertingRules;
}

/** An answer holds its slot until it is sent or its client disconnects. */
const holdData: Hold<PromqlAnswer> = (answer, release) => {
  if (answer.kind === 'data') return { ...answer, data: ended(answer.data, release) };
  release();
  return answer;
};

/** The HTTP API of Prometheus: queries share their slots and lists with those of SQL. */
export class PromqlPipeline extends RequestReply<PromqlRequest, PromqlAnswer> {
  readonly #context: PromqlContext;
  readonly #pool: SamplePool;

  constructor(context: PromqlContext) {
    super('promql', context, (...args) => this.#run(...args), holdData);
    this.#context = context;
    this.#pool = new SamplePool(context.limits.samplesOfAll);
  }

  /** Samples that queries hold in memory now. */
  get heldSamples(): number {
    return this.#pool.held;
  }

  /**
   * The samples of an expression now, for rules: read as a user whose password is not checked, and listed as the user's
   * query. Rejects with a FaultError where the expression cannot be evaluated.
   */
  async samples(user: string, database: string, query: string, aborted: AbortSignal): Promise<readonly RuleSample[]> {
    const parameters = new URLSearchParams({ query });
    const request: PromqlRequest = {
      credentials: noCredentials,
      database,
      endpoint: 'query',
      parameters,
      label: undefined,
    };
    const answer = await this.runAs(user, randomUUID(), request, aborted);
    if (answer.kind === 'error') throw ruleError(answer.error);
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.data) pieces.push(piece);
    return samplesIn(parseJson(Buffer.concat(pieces).toString()) as InstantData);
  }

  async #run(
    { request, aborted }: Exchange<PromqlRequest, PromqlAnswer>,
    user: string,
    waitedMs: number,
  ): Promise<PromqlAnswer> {
    const { running, slow, limits, waited, alerting } = this.#context;
    const { database } = request;
    const limitMs = timeLimit(request, limits);
    if (typeof limitMs !== 'number') return failed(limitMs);
    const text = Buffer.from(textOf(request));
    const timer = slow.begin(user, { statement: text, database }, waitedMs);
    const finish = (failure?: unknown): void => waited(timer.end(failure) / 1000);
    const query = running.begin(user, text, { aborted, limitMs });
    const lease = this.#pool.lease();
    const end = (failure?: unknown): void => {
      lease.end();
      query.end();
      finish(failure);
    };
    try {
      const tables = new ReadableTables(await readableDatabase(database, user, this.#context), user, this.#context);
      const scope: EndpointScope = {
        request,
        source: new SeriesReader(tables, lease),
        lists: new SeriesLists(tables),
        signal: query.signal,
        limits,
        alerting,
        readsAll: new Access(this.#context.catalogue, user).may('READ', database),
      };
      const answer = await answerOf(scope);
      if (answer.kind === 'data') return { ...answer, data: ended(answer.data, end, query.because) };
      end();
      return answer;
    } catch (error) {
      const reason = query.because() ?? error;
      end(reason);
      const problem = queryErrorOf(reason);
      if (problem === undefined) throw reason;
      return failed(problem);
    }
  }
}

function failed({ kind, message }: QueryError): PromqlAnswer {
  return { kind: 'error', errorType: kind, error: message };
}

/** How long a request may take, in ms: the setting, or what its parameter `timeout` says if that is less. */
function timeLimit({ parameters }: PromqlRequest, { timeoutMs }: PromqlLimits): number | QueryError {
  try {
    return Math.max(1, Math.min(timeoutMs, readSpan(parameters, 'timeout') ?? timeoutMs));
  } catch (error) {
    if (error instanceof QueryError) return error;
    throw error;
  }
}

/** The error of a query in the words of Prometheus; undefined for what it has no words for. */
function queryErrorOf(error: unknown): QueryError | undefined {
  if (error instanceof QueryError) return error;
  if (!(error instanceof FaultError)) return undefined;
  const { code, kind, message } = error.fault;
  if (code === Codes.queryTerminated) return new QueryError('timeout', `query timed out: ${message}`);
  if (code === Codes.queryKilled) return new QueryError('canceled', `query was canceled: ${message}`);
  return kind === 'parameter' && code !== Codes.databaseNotExist ? new QueryError('bad_data', message) : undefined;
}

/** The samples of a vector, or the one of a scalar, which has no labels. */
function samplesIn({ resultType, result }: InstantData): readonly RuleSample[] {
  if (resultType === 'scalar') return [{ labels: [], value: numberIn(result) }];
  if (resultType !== 'vector' || !Array.isArray(result)) throw ruleError(`the expression gives a ${resultType}`);
  const samples: readonly { readonly metric: Readonly<Record<string, string>>; readonly value?: unknown }[] = result;
  return samples.map(({ metric, value }) => ({ labels: Object.entries(metric), value: numberIn(value) }));
}

/** The number of a pair of time and text. */
function numberIn(pair: unknown): number {
  return Array.isArray(pair) ? Number(String(pair[1]).replace('Inf', 'Infinity')) : Number.NaN;
}

/** Why a rule has no result. */
function ruleError(message: string): FaultError {
  return new FaultError(fault('parameter', Codes.free, message));
}

/** The text by which lists show a request. */
function textOf({ endpoint, parameters, label }: PromqlRequest): string {
  const query = parameters.get('query') ?? parameters.getAll('match[]').join(' or ');
  if (endpoint === 'query' || endpoint === 'query_range') return query;
  return [endpoint, label, query].filter((part) => part !== undefined && part !== '').join(' ');
}
