import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { BodyBudget } from '../../async/body-budget.js';
import type { ComponentLog } from '../../model/component.js';
import type { RowReject } from '../../model/delivery.js';
import type { Credentials, Intake } from '../../model/exchange.js';
import type { Fault } from '../../model/fault.js';
import type { RecordedStatement } from '../../telemetry/sql-record.js';
import type { LoginCodes } from './login-code.js';
import type { HeadAdmission, RequestHead } from './request-head.js';

/** A request as the runtime's parser read it. */
export interface HttpRequest {
  /** Name of the request in the logs. */
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: IncomingMessage;
  /** True for a request to open a connection of WebSocket. */
  readonly ws?: boolean;
}

/** The answer to a request; `send` ends it, and the first one counts. */
export interface Reply {
  readonly request: HttpRequest;
  readonly raw: ServerResponse;
  readonly statusCode: number;
  code(status: number): Reply;
  header(name: string, value: number | string): Reply;
  headers(values: Readonly<Record<string, string>>): Reply;
  hasHeader(name: string): boolean;
  getHeader(name: string): number | string | string[] | undefined;
  send(body?: string | Uint8Array | Readable): Reply;
}

/** One request on its way through a handler. */
export interface Call {
  readonly request: HttpRequest;
  readonly reply: Reply;
  /** The head of the request with its meaning. */
  readonly head: RequestHead;
  /** Percent-decoded path parameters. */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** Query parameters; `get` gives the first of repeated ones. */
  readonly query: URLSearchParams;
  /** Fires when the client went away before its answer was sent in full. */
  readonly aborted: AbortSignal;
  /** The page that no setting names which a browser calls for; see the cross-origin policy. */
  readonly foreignPage: string | undefined;
  /** The call with what its head says. */
  admitted(admission: HeadAdmission): WriteCall;
}

/** A call of a route without credentials, which the router of Fastify serves. */
export interface RoutedCall extends Call {
  readonly reply: FastifyReply;
}

/** Settings that the handlers read. */
export interface HandlerSettings {
  readonly httpCodeServerError: boolean;
  /** Rows per SQL answer; negative is no limit. */
  readonly restfulRowLimit: number;
  /** Longest SQL statement, inflated, in bytes. */
  readonly sqlBytes: number;
  /** Longest SQL statement that is not an INSERT of rows, in bytes. */
  readonly queryBytes: number;
  /** `limits.resultIdle`: how long an open result over WebSocket waits for its next fetch, in ms. */
  readonly resultIdleMs: number;
  /** Longest text of a write that comes compressed, inflated, in bytes. */
  readonly inflatedBytes: number;
  readonly lineproto: WriteRouteSettings;
  readonly tsdbwire: WriteRouteSettings & Pick<NamedRouteSettings, 'db'>;
  readonly metricsdb: NamedRouteSettings;
  readonly otlp: NamedRouteSettings;
  /** `promql.enable` and `promql.db`. */
  readonly promql: Pick<NamedRouteSettings, 'enable' | 'db'>;
}

/** Settings of the routes that take whole messages. */
interface MessageRouteSettings {
  /** `metricsdb.enable` and so on: off means that the routes do not exist. */
  readonly enable: boolean;
  /** `smlAutoCreateDB`. */
  readonly createDatabase: boolean;
  /** `limits.messageBytes`: longest message, inflated. */
  readonly messageBytes: number;
}

/** Settings of routes whose path names no database. */
export interface NamedRouteSettings extends MessageRouteSettings {
  /** `otlp.db` and so on: the database of requests that name none. */
  readonly db: string;
}

/** Settings of a route that takes points. */
interface WriteRouteSettings {
  /** `lineproto.enable` and so on: off means that the route does not exist. */
  readonly enable: boolean;
  /** `smlAutoCreateDB`. */
  readonly createDatabase: boolean;
}

/** Counts what the HTTP server does; every method is called once per event. `reason` and `route` come from small fixed sets. */
export interface HttpObserver {
  begun(): void;
  /**
   * `status` is 499 when the client went away before its answer was complete; `failed` also reports an error code in the
   * body of an answer with status 200.
   */
  ended(request: {
    route: string;
    method: string;
    status: number;
    seconds: number;
    client: string;
    failed: boolean;
  }): void;
  refused(reason: 'all-paused' | 'query-paused' | 'draining'): void;
}

/** Context that every handler is given at construction. */
export interface HandlerContext {
  /** The OpenAPI document of the interfaces, as JSON. */
  readonly description: string;
  readonly intake: Intake;
  /** Room for bodies that do not come together with their head. */
  readonly bodies: BodyBudget;
  readonly settings: HandlerSettings;
  readonly loginCodes: LoginCodes;
  readonly log: ComponentLog;
  readonly observer: HttpObserver | undefined;
  /** Records a statement before it runs; absent when statements are not recorded. */
  readonly recordSql: RecordSql | undefined;
}

/** A statement that came over HTTP, for the SQL record. The URI is without secrets, the statement is as it came. */
export type RecordSql = (entry: RecordedStatement) => void;

/** A call that passed the checks of its route. */
export interface AdmittedCall extends Call {
  /** Name of the request in the logs: the client's, or one of our own. */
  readonly id: string;
  /** Read, and not held against the database yet. */
  readonly credentials: Credentials;
  /** Layers of gzip around the body. */
  readonly layers: number;
}

/** A call that writes. */
export interface WriteCall extends AdmittedCall {
  /** Has it answered although its client has closed its half of the connection, as some do behind a request. */
  outliveEnd(): void;
}

/** A call whose credentials are true. */
export interface KnownCall extends AdmittedCall {
  readonly user: string;
}

/** Answers one call, at once or later. Rejects when it cannot for a mistake in the program. */
export type Handler<C extends Call = Call> = (call: C) => Answer | Promise<Answer>;

/** The reply, once it was handed to the server; undefined where that happens later. */
type Answer = Reply | undefined;

/** Why a request is not served, or not in full, for the forms of errors to put into words. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /**
   * Cause of a refusal: the name of the request, the credentials, the coding of the body, a parameter, the body could not be read,
   * some of its rows are bad, or the request was refused as a whole.
   */
  readonly cause: 'id' | 'credentials' | 'encoding' | 'parameter' | 'body' | 'rows' | 'call';
  /** The first bad row, counted from 1; 0 is no row in particular. */
  readonly row: number;
  /** Rows that are not stored although others may be, and those that are. */
  readonly rejectedRows: number;
  readonly writtenRows: number;
  /** The bad rows that are described, in their order. */
  readonly rejects: readonly RowReject[];
  readonly fault: Fault;
}

/** Puts a refusal into the words of a family of routes. */
export type ErrorForm = (call: Call, refusal: Refusal, settings: HandlerSettings) => Reply;
