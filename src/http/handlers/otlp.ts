import { MessageWriter } from '../../transforms/wire/message-writer.js';
import { safeJson, sendBytes } from '../answer/reply.js';
import { statusWithLength } from '../answer/status.js';
import type { Call, ErrorForm, Refusal } from '../request/call.js';
import { contentType, mediaType } from '../request/content-type.js';

/** Media types of the bodies, in both directions. */
export const otlpTypes = { protobuf: 'application/x-protobuf', json: 'application/json' } as const;

/** Codes of `google.rpc.Status` by HTTP status. */
const rpcCodes: Readonly<Record<number, number>> = { 400: 3, 401: 16, 403: 7, 404: 5, 413: 3, 415: 3, 503: 14 };
const internal = 13;

/** Code of `google.rpc.Status`, which gRPC ends calls with, for an HTTP status. */
export function rpcCode(status: number): number {
  return rpcCodes[status] ?? internal;
}

/** True when the body is JSON; undefined when it is neither that nor protobuf. */
export function isOtlpJson(call: Call): boolean | undefined {
  const type = mediaType(contentType(call) ?? '');
  if (type === otlpTypes.json) return true;
  return type === otlpTypes.protobuf ? false : undefined;
}

/** Errors as `google.rpc.Status`, in the kind of body that the request had. A body that is too long is 413. */
export const otlpErrors: ErrorForm = (call, refusal) => {
  const { message } = refusal;
  const status = statusWithLength(refusal);
  const code = rpcCode(status);
  if (isOtlpJson(call) === true) {
    return sendBytes(call.reply, status, otlpTypes.json, Buffer.from(safeJson({ code, message })));
  }
  const writer = new MessageWriter();
  writer.varint(1, BigInt(code));
  writer.bytes(2, Buffer.from(message));
  return sendBytes(call.reply, status, otlpTypes.protobuf, writer.finish());
};

/** An `ExportMetricsServiceResponse`: empty, or with how many points were refused and why. */
export function exportResponse(refused: Refusal | undefined): Uint8Array {
  const writer = new MessageWriter();
  if (refused === undefined) return writer.finish();
  const start = writer.begin(1);
  writer.varint(1, BigInt(refused.rejectedRows));
  writer.bytes(2, Buffer.from(refused.message));
  writer.end(start);
  return writer.finish();
}

/** The same in JSON. */
export function exportResponseJson(refused: Refusal | undefined): string {
  if (refused === undefined) return '{}';
  const { rejectedRows, message } = refused;
  return safeJson({ partialSuccess: { rejectedDataPoints: String(rejectedRows), errorMessage: message } });
}
