import { Codes, fault } from '../../model/fault.js';
import { newTally } from '../../model/write-tally.js';
import { refusalOf } from '../answer/refusal.js';
import { sendBytes } from '../answer/reply.js';
import type { Handler, HandlerContext, Refusal, Reply, WriteCall } from '../request/call.js';
import { contentType } from '../request/content-type.js';
import { exportResponse, exportResponseJson, isOtlpJson, otlpErrors, otlpTypes } from './otlp.js';
import { refuseWrite } from './refused-write.js';
import { namedDatabase } from './write-parameters.js';
import { carryWrite } from './writing.js';

/**
 * `POST /v1/metrics`: metrics of OpenTelemetry in protobuf or JSON. 200 when points are stored; those that are not are
 * reported as a partial success. What may pass is 503 with `Retry-After`, which senders try again; the rest is 4xx,
 * which they do not.
 */
export function otlpWriteHandler(context: HandlerContext): Handler<WriteCall> {
  const { settings } = context;
  const { createDatabase, messageBytes: maxMessageBytes, db } = settings.otlp;
  return (call) => {
    const isJson = isOtlpJson(call);
    if (isJson === undefined) {
      const message = `unsupported Content-Type ${JSON.stringify(contentType(call) ?? '')}: it must be ${otlpTypes.protobuf} or ${otlpTypes.json}`;
      const refusal = refusalOf(fault('parameter', Codes.free, message), 'encoding');
      const refused = (cause: Refusal) => otlpErrors(call, cause, settings);
      return refuseWrite(call, context, refused, () => refused({ ...refusal, status: 415 }));
    }
    const tally = newTally();
    const target = { database: namedDatabase(call, db), createDatabase, ttl: 0, precision: 'ns', tally } as const;
    const answer = (refused?: Refusal): Reply =>
      isJson
        ? sendBytes(call.reply, 200, otlpTypes.json, Buffer.from(exportResponseJson(refused)))
        : sendBytes(call.reply, 200, otlpTypes.protobuf, exportResponse(refused));
    const format = isJson ? 'otlp-json' : 'otlp';
    return carryWrite(
      call,
      context,
      { format, target, maxMessageBytes, rowWord: 'data point' },
      {
        stored: () => answer(),
        refused: (refusal) => (refusal.cause === 'rows' ? answer(refusal) : otlpErrors(call, refusal, settings)),
      },
    );
  };
}
