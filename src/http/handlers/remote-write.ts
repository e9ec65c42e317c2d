import type { FastifyReply } from 'fastify';
import { isFault, readAuthorization } from '../auth.js';
import type { Call, Handler, HandlerContext } from '../call.js';
import { headerText, sendGuardRefusal, sendNotFound, sendText } from '../reply.js';
import { type Refusal, readWriteParameters } from '../write-parameters.js';
import { type AdmittedWrite, carryWrite } from '../writing.js';

/** Messages of both versions as a content type names them. */
const messages = { version1: 'prometheus.writerequest', version2: 'io.prometheus.write.v2.request' } as const;

/**
 * `POST /metricsdb/v1/remote_write/<db>`: 204 when every sample is stored; what is bad is 400 with the first bad series
 * named, and the rest is stored. Senders drop on 4xx and try again on 5xx, so what may pass is 503; see `carryWrite`. A request
 * that says it is of version 2 of the protocol gets what that asks for: 415 for another kind of body, and headers that say
 * how many samples were stored. Of others, headers mean nothing, for there are clients that send none or wrong ones.
 */
export function remoteWriteHandler(context: HandlerContext): Handler {
  return async (call) => {
    if (call.params.db === undefined || call.params.db === '') return sendNotFound(call.reply);
    const admitted = admitWrite(call, context, call.params.db);
    const refuse = ({ status, message }: Refusal): FastifyReply => sendText(call.reply, status, message);
    if ('status' in admitted) return refuse(admitted);
    if (context.intake.guard() === 'all-paused') return sendGuardRefusal(call, context, 'all-paused');
    return carryWrite(call, context, admitted, 'series', refuse, (rows) => {
      if (isVersion2(call)) nameWritten(call, rows);
    });
  };
}

/** Credentials and parameters, in the order that clients see. */
function admitWrite(call: Call, { settings, loginCodes }: HandlerContext, database: string): AdmittedWrite | Refusal {
  const { request, query } = call;
  const credentials = readAuthorization(request.headers.authorization, loginCodes, query);
  if (isFault(credentials)) return { status: 401, message: credentials.message };
  const wrongBody = isVersion2(call) ? bodyProblem(call) : undefined;
  if (wrongBody !== undefined) return { status: 415, message: wrongBody };
  const parameters = readWriteParameters(call);
  if ('status' in parameters) return parameters;
  const { id, ttl, layers } = parameters;
  const { createDatabase, messageBytes: maxMessageBytes } = settings.metricsdb;
  const target = { database, createDatabase, ttl, precision: 'ms' } as const;
  return { id, format: 'remote-write', credentials, target, layers, maxMessageBytes };
}

/** True for a request that says it is of version 2, by the version of the protocol or by the kind of its message. */
function isVersion2({ request }: Call): boolean {
  const version = headerText(request.headers['x-prometheus-remote-write-version']) ?? '';
  return version.trim().startsWith('2.') || messageOf(contentType(request)) === messages.version2;
}

/** The content type as it came; the door takes it off the other headers. */
function contentType({ raw }: Call['request']): string | undefined {
  return raw.headersDistinct['content-type']?.[0];
}

/** Parameter `proto` of a content type, in lower case; empty when there is none. */
function messageOf(contentType: string | undefined): string {
  return /;\s*proto\s*=\s*"?([^";\s]*)/.exec((contentType ?? '').toLowerCase())?.[1] ?? '';
}

/** Why the headers of a request of version 2 do not describe a body that can be read, if so. */
function bodyProblem({ request }: Call): string | undefined {
  const type = contentType(request) ?? 'application/x-protobuf';
  const message = messageOf(type);
  const isMessage = type.split(';', 1)[0]?.trim().toLowerCase() === 'application/x-protobuf';
  if (!isMessage || (message !== '' && message !== messages.version1 && message !== messages.version2)) {
    return `unsupported Content-Type ${JSON.stringify(type)}: it must be application/x-protobuf`;
  }
  const encoding = headerText(request.headers['content-encoding']) ?? 'snappy';
  if (encoding.trim().toLowerCase() === 'snappy') return undefined;
  return `unsupported Content-Encoding ${JSON.stringify(encoding)}: it must be snappy`;
}

function nameWritten({ reply }: Call, samples: number): void {
  reply.header('x-prometheus-remote-write-samples-written', samples);
  reply.header('x-prometheus-remote-write-histograms-written', 0);
  reply.header('x-prometheus-remote-write-exemplars-written', 0);
}
