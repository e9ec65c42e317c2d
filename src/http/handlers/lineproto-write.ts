import type { FastifyReply } from 'fastify';
import type { Delivery } from '../../model/delivery.js';
import type { Credentials, WriteRequest } from '../../model/exchange.js';
import { Codes, type Fault } from '../../model/fault.js';
import { isFault, readWriteCredentials } from '../auth.js';
import type { Call, Handler, HandlerContext } from '../call.js';
import { gzipLayers } from '../compression.js';
import { ask, type Outcome } from '../exchange.js';
import { readPrecision, readTtl, readWriteRequestId } from '../parameters.js';
import { headerText, safeJson, sendEmpty, sendGuardRefusal, sendJson } from '../reply.js';
import { openBody } from '../request-body.js';

/** The error body of the line-protocol route, with its status; `line` counts from 1, 0 is no line in particular. */
interface WriteRefusal {
  readonly status: number;
  readonly code: 'illegal param' | 'not found' | 'invalid' | 'internal error' | 'forbidden';
  readonly message: string;
  readonly op?: string;
  /** Why, where it is more than the message. */
  readonly err?: string;
  readonly line?: number;
}

interface Admission {
  readonly id: string;
  readonly credentials: Credentials;
  readonly target: WriteRequest['target'];
  readonly layers: number;
}

/**
 * `POST /lineproto/v1/write`: 204 when every line is stored (an empty body has none and is 204 too). Bad lines are 400
 * and named; an unknown database is 404; what may pass (network, memory, a full queue) is 503 with `Retry-After`.
 */
export function lineprotoWriteHandler(context: HandlerContext): Handler {
  const { intake, settings } = context;
  return async (call) => {
    if (intake.guard() === 'all-paused') return sendGuardRefusal(call, context, 'all-paused');
    const admitted = admitWrite(call, settings.lineproto.createDatabase);
    if ('status' in admitted) return sendRefusal(call, admitted);
    const { id, credentials, target, layers } = admitted;
    const body = openBody(call.request.raw, layers);
    const length = layers === 0 ? contentLength(call) : undefined;
    const write: WriteRequest = { format: 'lineproto', credentials, target, body: body.stream, length };
    const ending = await Promise.race([
      ask<WriteRequest, Delivery>((exchange) => intake.write(exchange), id, write, call.aborted),
      body.broken,
    ]);
    body.stream.destroy();
    // A pipeline that stumbles over a broken body reports it in its own words; the client is told about the body.
    const failure = body.failure();
    if (failure !== undefined) return sendRefusal(call, { ...unreadableBody, err: failure.message });
    if ('code' in ending) return sendRefusal(call, { ...unreadableBody, err: ending.message });
    return sendOutcome(call, context, ending);
  };
}

/** Parameters and credentials, in the order that clients see. */
function admitWrite(call: Call, createDatabase: boolean): Admission | WriteRefusal {
  const { request, query } = call;
  const id = readWriteRequestId(query.get('req_id'), request.id);
  if (id === undefined) return illegal('req_id must be numeric', 'parse req_id');
  const credentials = readWriteCredentials(request.headers.authorization, query);
  if (isFault(credentials)) return forbidden(credentials);
  const database = query.get('db') ?? '';
  if (database === '') return { status: 400, code: 'not found', message: 'db required', op: 'get db query', line: 0 };
  const ttl = readTtl(query.get('ttl'));
  if (ttl === undefined) return illegal('ttl must be numeric', 'parse ttl');
  const precision = readPrecision(query.get('precision'));
  if (precision === undefined) return illegal('precision must be one of n, ns, u, us, ms, s, m, h', 'parse precision');
  const layers = gzipLayers(headerText(request.headers['content-encoding']));
  if (typeof layers !== 'number') return { ...illegal(layers.message, 'read line'), status: 415 };
  return { id, credentials, target: { database, createDatabase, ttl, precision }, layers };
}

function illegal(message: string, op: string): WriteRefusal {
  return { status: 400, code: 'illegal param', message, op, line: 0 };
}

function forbidden(fault: Fault): WriteRefusal {
  const message = fault.code === Codes.noAuthInfo ? 'no auth info found' : fault.message;
  return { status: 401, code: 'forbidden', message };
}

function contentLength(call: Call): number | undefined {
  const text = call.request.headers['content-length'];
  return text === undefined ? undefined : Number(text);
}

const unreadableBody: WriteRefusal = {
  status: 400,
  code: 'internal error',
  message: 'read line error',
  op: 'read line',
  line: 0,
};

function sendOutcome(call: Call, context: HandlerContext, outcome: Outcome<Delivery>): FastifyReply {
  if (outcome.kind === 'refused') return sendRefusal(call, refusalOf(outcome.fault));
  const delivery = outcome.answer;
  switch (delivery.outcome) {
    case 'delivered':
      if (delivery.rejectedRows === 0) return sendEmpty(call.reply, 204);
      return sendRefusal(call, rejectedLines(delivery));
    case 'shed':
      if (delivery.reason === 'memory') return sendGuardRefusal(call, context, 'all-paused');
      return sendRefusal(call, { status: 503, code: 'internal error', message: shedText[delivery.reason] });
    case 'failed':
      return sendRefusal(call, refusalOf(delivery.fault));
    case 'rejected':
      return sendRefusal(call, rejection(delivery.fault));
  }
}

const shedText = { 'queue-full': 'write queue is full', draining: 'service is shutting down' } as const;

type Delivered = Extract<Delivery, { outcome: 'delivered' }>;

/** Some lines were bad: the first of those described is named, and how many went either way. */
function rejectedLines({ rows, rejectedRows, rejects }: Delivered): WriteRefusal {
  const [first] = rejects.toSorted((a, b) => a.row - b.row);
  const line = first === undefined ? 0 : first.row + 1;
  const counts = `${rejectedRows} rejected, ${rows} written`;
  const message = first === undefined ? counts : `line ${line}: ${faultText(first.fault)} (${counts})`;
  return { status: 400, code: 'invalid', message, op: 'parse line', line };
}

function faultText(fault: Fault): string {
  return `[0x${fault.code.toString(16)}] ${fault.message}`;
}

/** Codes that blame the data, whatever kind of fault carries them. */
const dataCodes: readonly number[] = [
  Codes.lineSyntax,
  Codes.schemalessPrecision,
  Codes.schemalessData,
  Codes.schemalessTypeConflict,
  Codes.valueOutOfRange,
  Codes.timestampOutOfRange,
  Codes.duplicatedColumns,
];

function refusalOf(fault: Fault): WriteRefusal {
  const message = faultText(fault);
  if (fault.kind === 'auth') return { status: 401, code: 'forbidden', message };
  if (fault.code === Codes.databaseNotExist) return { status: 404, code: 'not found', message };
  if (fault.kind === 'network' || fault.kind === 'resource') return { status: 503, code: 'internal error', message };
  if (fault.kind === 'database' && !dataCodes.includes(fault.code)) {
    return { status: 500, code: 'internal error', message };
  }
  return { status: 400, code: 'invalid', message, op: 'write lines', line: 0 };
}

/** Trying again is useless, so a rejection is never a status that makes senders try again. */
function rejection(fault: Fault): WriteRefusal {
  const refusal = refusalOf(fault);
  if (refusal.status < 500) return refusal;
  return { status: 400, code: 'invalid', message: refusal.message, op: 'write lines', line: 0 };
}

function sendRefusal(call: Call, refusal: WriteRefusal): FastifyReply {
  const { code, message, op, line, err = message } = refusal;
  const body = op === undefined ? { code, message } : { code, message, op, err, line };
  return sendJson(call.reply, refusal.status, safeJson(body));
}
