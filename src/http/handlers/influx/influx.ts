import type { Credentials } from '../../../model/exchange.js';
import { Codes, type Fault } from '../../../model/fault.js';
import { safeJson, sendJson } from '../../answer/reply.js';
import { statusWithLength } from '../../answer/status.js';
import type { CredentialReader } from '../../request/auth.js';
import { headerInUtf8, readWriteCredentials } from '../../request/auth.js';
import type { Call, ErrorForm, Refusal, Reply } from '../../request/call.js';

/** The version that clients get: the newest one that has both interfaces of this module. */
export const influxVersion = '1.8.10';

/** Headers of every answer on these paths; clients find out by them what they speak to. */
export function nameInflux(reply: Reply): Reply {
  return reply.header('x-influxdb-version', influxVersion).header('x-influxdb-build', 'Sluice');
}

const tokenHeader = /^ *(?:Token|Bearer) +([^ ].*)$/i;

/**
 * Credentials of InfluxDB's paths: parameters `u` and `p`, the Basic header, or `Token` (also `Bearer`) with a token
 * made by `CREATE TOKEN`, or with user and password and a colon between them, as version 1.8 takes it.
 */
export const influxCredentials: CredentialReader = ({ request, query }: Call): Credentials | Fault => {
  const { authorization } = request.headers;
  const token = tokenHeader.exec(authorization ?? '')?.[1];
  if (token === undefined || (query.get('u') && query.get('p'))) return readWriteCredentials(authorization, query);
  const colon = token.indexOf(':');
  if (colon < 0) return { scheme: 'token', token };
  const pair = headerInUtf8(token);
  return { scheme: 'password', user: pair.slice(0, pair.indexOf(':')), password: pair.slice(pair.indexOf(':') + 1) };
};

/** The database of a bucket; of one with a slash, the part before it. */
export function bucketDatabase(bucket: string): string {
  return bucket.split('/', 1)[0] ?? '';
}

/**
 * Errors of version 1: one text, in the words that its clients look for. A body that is too long is 413, in version 2
 * too.
 */
export const influx1Errors: ErrorForm = (call, refusal) => {
  const text = text1(call, refusal);
  return send1(call, refusal, text, { error: text });
};

/**
 * Errors of version 3: the bad lines that are described as `data`, each with its text, or the first of them alone where
 * none is written. Errors that are not about lines read as in version 1.
 */
export const influx3Errors: ErrorForm = (call, refusal, settings) => {
  const data = refusal.rejects.map(({ row, fault, text = '' }) => ({
    original_line: text,
    line_number: row + 1,
    error_message: fault.message,
  }));
  if (data.length === 0) return influx1Errors(call, refusal, settings);
  const body =
    refusal.cause === 'rows'
      ? { error: 'partial write of line protocol occurred', data }
      : { error: 'parsing failed for write_lp endpoint', data: data[0] };
  return send1(call, refusal, text1(call, refusal), body);
};

function send1(call: Call, refusal: Refusal, text: string, body: Readonly<Record<string, unknown>>): Reply {
  nameInflux(call.reply).header('x-influxdb-error', headerSafe(text));
  const more = { code: refusal.fault.code, desc: text };
  return sendJson(call.reply, statusWithLength(refusal), safeJson({ ...body, ...more }));
}

function text1(call: Call, refusal: Refusal): string {
  const { message, cause, rejectedRows, fault } = refusal;
  const noHeader = fault.code === Codes.noAuthInfo;
  if (statusWithLength(refusal) === 401) {
    return `${noHeader ? 'unable to parse authentication credentials' : 'authorization failed'}: ${message}`;
  }
  if (fault.code === Codes.databaseNotExist) {
    return `database not found: ${JSON.stringify(call.query.get('db') ?? '')}`;
  }
  return cause === 'rows' ? `partial write: ${message} dropped=${rejectedRows}` : message;
}

const version2Codes: Readonly<Record<number, string>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  413: 'request too large',
  415: 'invalid',
  422: 'conflict',
  503: 'unavailable',
};

/** Errors of version 2: code and message, for bad lines also which is the first. */
export const influx2Errors: ErrorForm = (call, refusal) => {
  const { message, cause, row, fault } = refusal;
  const status = statusWithLength(refusal);
  const bucket = call.query.get('bucket') ?? '';
  const text = fault.code === Codes.databaseNotExist ? `bucket ${JSON.stringify(bucket)} not found` : message;
  const place = cause === 'rows' ? { op: 'parse line', line: row } : {};
  nameInflux(call.reply);
  const code = version2Codes[status] ?? 'internal error';
  return sendJson(call.reply, status, safeJson({ code, message: text, ...place, desc: text }));
};

/** Longest piece of an error in a header, in characters. */
const maxHeaderLength = 512;

function headerSafe(text: string): string {
  return text.slice(0, maxHeaderLength).replace(/[^\x20-\x7e]/g, '?');
}
