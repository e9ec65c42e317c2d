import type { FastifyReply } from 'fastify';
import type { WireFormat } from '../model/batch.js';
import type { Delivery } from '../model/delivery.js';
import type { Credentials, WriteRequest } from '../model/exchange.js';
import { Codes, type Fault, mayPass } from '../model/fault.js';
import type { Call, HandlerContext } from './call.js';
import { ask, type Outcome } from './exchange.js';
import { sendEmpty, sendGuardRefusal } from './reply.js';
import { openBody } from './request-body.js';
import { isForbidden } from './status.js';

/** A write that passed the door of its route. */
export interface AdmittedWrite {
  readonly id: string;
  readonly format: WireFormat;
  readonly credentials: Credentials;
  readonly target: WriteRequest['target'];
  /** Layers of gzip around the body. */
  readonly layers: number;
  /** See {@link WriteRequest}. */
  readonly maxMessageBytes?: number;
}

/** Why a write was not stored in full, for the routes to put into their own words. */
export interface WriteRefusal {
  readonly status: number;
  readonly message: string;
  /** What was wrong: the body could not be read, some of its rows are bad, or the write as a whole did not pass. */
  readonly cause: 'body' | 'rows' | 'write';
  /** The first bad row, counted from 1; 0 is no row in particular. */
  readonly row: number;
}

/**
 * Carries the body of a write into the pipeline and answers: 204 when all of it is stored, otherwise what `refuse` makes of
 * the reason. Bad rows are 400, an unknown database is 404; what may pass (network, memory, a full queue) is 503 with
 * `Retry-After`. `rowWord` is what the format calls a row; `written` is told how many rows of a body that was read are stored.
 */
export async function carryWrite(
  call: Call,
  context: HandlerContext,
  { id, layers, ...admitted }: AdmittedWrite,
  rowWord: 'line' | 'object' | 'series',
  refuse: (refusal: WriteRefusal) => FastifyReply,
  written: (rows: number) => void = () => {},
): Promise<FastifyReply> {
  const body = openBody(call.request.raw, layers);
  const length = layers === 0 ? contentLength(call) : undefined;
  const write: WriteRequest = { ...admitted, body: body.stream, length };
  const ending = await Promise.race([
    ask<WriteRequest, Delivery>((exchange) => context.intake.write(exchange), id, write, call.aborted),
    body.broken,
  ]);
  body.stream.destroy();
  // A pipeline that stumbles over a broken body reports it in its own words; the client is told about the body.
  const unreadable = ({ message }: Fault) => refuse({ status: 400, message, cause: 'body', row: 0 });
  if ('code' in ending) return unreadable(ending);
  const failure = body.failure();
  if (failure !== undefined) return unreadable(failure);
  if (ending.kind === 'answered' && ending.answer.outcome === 'delivered') written(ending.answer.rows);
  return sendOutcome(call, context, ending, rowWord, refuse);
}

function contentLength(call: Call): number | undefined {
  const text = call.request.headers['content-length'];
  return text === undefined ? undefined : Number(text);
}

function sendOutcome(
  call: Call,
  context: HandlerContext,
  outcome: Outcome<Delivery>,
  rowWord: string,
  refuse: (refusal: WriteRefusal) => FastifyReply,
): FastifyReply {
  if (outcome.kind === 'refused') return refuse(refusalOf(outcome.fault));
  const delivery = outcome.answer;
  switch (delivery.outcome) {
    case 'delivered':
      if (delivery.rejectedRows === 0) return sendEmpty(call.reply, 204);
      return refuse(rejectedRows(delivery, rowWord));
    case 'shed':
      if (delivery.reason === 'memory') return sendGuardRefusal(call, context, 'all-paused');
      return refuse({ status: 503, message: shedText[delivery.reason], cause: 'write', row: 0 });
    case 'failed':
      return refuse(refusalOf(delivery.fault));
    case 'rejected':
      return refuse(rejection(delivery.fault));
  }
}

const shedText = { 'queue-full': 'write queue is full', draining: 'service is shutting down' } as const;

type Delivered = Extract<Delivery, { outcome: 'delivered' }>;

/** Some rows were bad: the first of those described is named, and how many went either way. */
function rejectedRows({ rows, rejectedRows: rejected, rejects }: Delivered, rowWord: string): WriteRefusal {
  const [first] = rejects.toSorted((a, b) => a.row - b.row);
  const row = first === undefined ? 0 : first.row + 1;
  const counts = `${rejected} rejected, ${rows} written`;
  const message = first === undefined ? counts : `${rowWord} ${row}: ${faultText(first.fault)} (${counts})`;
  return { status: 400, message, cause: 'rows', row };
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
  return { status: statusOf(fault), message: faultText(fault), cause: 'write', row: 0 };
}

/** Status of a fault: whether to try again is up to it, so it is the sender's fault, or it may pass. */
export function statusOf(fault: Fault): number {
  const { kind, code } = fault;
  if (kind === 'auth') return 401;
  if (isForbidden(fault)) return 403;
  if (code === Codes.databaseNotExist) return 404;
  if (mayPass(fault)) return 503;
  return kind === 'database' && !dataCodes.includes(code) ? 500 : 400;
}

/** Trying again is useless, so a rejection is never a status that makes senders try again. */
function rejection(fault: Fault): WriteRefusal {
  const refusal = refusalOf(fault);
  return refusal.status < 500 ? refusal : { ...refusal, status: 400 };
}
