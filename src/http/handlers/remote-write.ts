import { Codes, fault } from '../../model/fault.js';
import { newTally, type WriteTally } from '../../model/write-tally.js';
import { textErrors } from '../answer/error-forms.js';
import { refusalOf } from '../answer/refusal.js';
import { headerText, sendEmpty } from '../answer/reply.js';
import type { Call, Handler, HandlerContext, Refusal, WriteCall } from '../request/call.js';
import { contentType, mediaType } from '../request/content-type.js';
import { refuseWrite } from './refused-write.js';
import { readWriteTtl } from './write-parameters.js';
import { carryWrite } from './writing.js';

/** Messages of both versions as a content type names them. */
const messages = { version1: 'prometheus.writerequest', version2: 'io.prometheus.write.v2.request' } as const;

/**
 * `POST /metricsdb/v1/remote_write/<db>`: 204 when every sample is stored; what is bad is 400 with the first bad series
 * named, and the rest is stored. Senders drop on 4xx and try again on 5xx, so what may pass is 503; see `carryWrite`. A
 * request that says it is of version 2 of the protocol gets what that needs: 415 for another kind of body, and headers
 * that say how many samples were stored. Of others, headers mean nothing, for there are clients that send none or wrong
 * ones.
 */
export function remoteWriteHandler(context: HandlerContext): Handler<WriteCall> {
  const { settings } = context;
  const { createDatabase, messageBytes: maxMessageBytes } = settings.metricsdb;
  return (call) => {
    const isNewer = isVersion2(call);
    const tally = newTally();
    const refused = (refusal: Refusal) => {
      if (isNewer && refusal.cause === 'rows') nameWritten(call, refusal.writtenRows, tally);
      return textErrors(call, refusal, settings);
    };
    const wrongBody = isNewer ? bodyProblem(call) : undefined;
    if (wrongBody !== undefined) {
      const wrong = { ...refusalOf(fault('parameter', Codes.free, wrongBody), 'encoding'), status: 415 };
      return refuseWrite(call, context, refused, () => refused(wrong));
    }
    const ttl = readWriteTtl(call);
    if (typeof ttl !== 'number') return refuseWrite(call, context, refused, () => refused(refusalOf(ttl, 'parameter')));
    const target = { database: call.params.db ?? '', createDatabase, ttl, precision: 'ms', tally } as const;
    const stored = (rows: number) => {
      if (isNewer) nameWritten(call, rows, tally);
      return sendEmpty(call.reply, 204);
    };
    const write = { format: 'remote-write', target, maxMessageBytes, rowWord: 'series' } as const;
    return carryWrite(call, context, write, { stored, refused });
  };
}

/** True for a request that says it is of version 2, by the version of the protocol or by the kind of its message. */
function isVersion2(call: Call): boolean {
  const { request } = call;
  const version = headerText(request.headers['x-prometheus-remote-write-version']) ?? '';
  return version.trim().startsWith('2.') || messageOf(contentType(call)) === messages.version2;
}

/** Parameter `proto` of a content type, in lower case; empty when there is none. */
function messageOf(contentType: string | undefined): string {
  return /;\s*proto\s*=\s*"?([^";\s]*)/.exec((contentType ?? '').toLowerCase())?.[1] ?? '';
}

/** Why the headers of a request of version 2 do not describe a body that can be read, if so. */
function bodyProblem(call: Call): string | undefined {
  const { request } = call;
  const type = contentType(call) ?? 'application/x-protobuf';
  const message = messageOf(type);
  const isMessage = mediaType(type) === 'application/x-protobuf';
  if (!isMessage || (message !== '' && message !== messages.version1 && message !== messages.version2)) {
    const known = 'prometheus.WriteRequest or io.prometheus.write.v2.Request';
    return `unsupported Content-Type ${JSON.stringify(type)}: it must be application/x-protobuf, and its proto, if any, ${known}`;
  }
  const encoding = headerText(request.headers['content-encoding']) ?? 'snappy';
  if (encoding.trim().toLowerCase() === 'snappy') return undefined;
  return `unsupported Content-Encoding ${JSON.stringify(encoding)}: it must be snappy`;
}

function nameWritten({ reply }: Call, rows: number, { histograms, exemplars }: WriteTally): void {
  reply.header('x-prometheus-remote-write-samples-written', Math.max(0, rows - histograms - exemplars));
  reply.header('x-prometheus-remote-write-histograms-written', histograms);
  reply.header('x-prometheus-remote-write-exemplars-written', exemplars);
}
