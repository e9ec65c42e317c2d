import { type Delivery, delivered } from '../../model/delivery.js';
import { Codes, fault } from '../../model/fault.js';
import { deliveryOf } from '../../sinks/outcome.js';
import { parseJson } from '../../text/json.js';
import type { RowSink, RowText } from '../model/ports.js';
import { type HttpResponse, type HttpService, wholeOf } from './http-service.js';

/** The write routes of the service, for schemaless text. Bad rows of a request are counted, and the first is named. */
export function httpLinesSink(service: HttpService): RowSink<RowText> {
  return { write: (rows, deadline) => deliveryOf(post(rows, service, deadline)) };
}

async function post(lines: RowText, service: HttpService, deadline: AbortSignal): Promise<Delivery> {
  // A row that is written twice is stored once.
  const response = await service.post(pathOf(lines), lines.text, deadline, true);
  const { status } = response;
  const body = await wholeOf(response.chunks);
  if (status === 204 || status === 200) return delivered(lines.rows);
  const kind = status === 401 ? 'auth' : status >= 500 ? 'resource' : 'database';
  const refusal = fault(kind, numberIn(response, 'error-code') ?? Codes.free, messageOf(status, body.toString()));
  const [written, rejected] = [numberIn(response, 'rows-written'), numberIn(response, 'rows-rejected')];
  if (written === undefined || rejected === undefined) {
    return { outcome: status >= 500 ? 'failed' : 'rejected', fault: refusal };
  }
  const row = Math.max(1, numberIn(response, 'first-bad-row') ?? 1) - 1;
  return delivered(written, rejected, [{ row, fault: refusal }]);
}

function pathOf({ format, database, precision }: RowText): string {
  const name = encodeURIComponent(database);
  if (format === 'tsdbwire-telnet') return `/tsdbwire/v1/put/telnet/${name}`;
  if (format === 'tsdbwire-json') return `/tsdbwire/v1/put/json/${name}`;
  return `/lineproto/v1/write?db=${name}&precision=${precision}`;
}

function messageOf(status: number, text: string): string {
  const parsed = parseJson(text);
  if (parsed === undefined) return text === '' ? `HTTP status ${status}` : text.slice(0, 500);
  const message = typeof parsed === 'object' && parsed !== null && 'message' in parsed ? parsed.message : undefined;
  return message === undefined ? `HTTP status ${status}` : String(message);
}

function numberIn({ headers }: HttpResponse, name: string): number | undefined {
  const text = headers[name];
  return typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : undefined;
}
