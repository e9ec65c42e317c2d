import { type Delivery, delivered } from '../../model/delivery.js';
import { Codes, type Fault, fault } from '../../model/fault.js';
import { deliveryOf } from '../../sinks/outcome.js';
import type { RowSink, RowText } from '../model/ports.js';
import type { HttpAnswer, HttpService } from './http-service.js';

/** The write routes of the service, for text of the schemaless formats. Bad rows of a request are counted, and the first is named. */
export function restLinesSink(service: HttpService): RowSink<RowText> {
  return { write: (rows, deadline) => deliveryOf(post(rows, service, deadline)) };
}

async function post(lines: RowText, service: HttpService, deadline: AbortSignal): Promise<Delivery> {
  const answer = await service.post(pathOf(lines), lines.text, deadline);
  if (answer.status === 204 || answer.status === 200) return delivered(lines.rows);
  const partly = partlyWritten(answer);
  if (partly !== undefined) return partly;
  return { outcome: answer.status >= 500 ? 'failed' : 'rejected', fault: refusalOf(answer) };
}

function pathOf({ format, database, precision }: RowText): string {
  const name = encodeURIComponent(database);
  if (format === 'tsdbwire-telnet') return `/tsdbwire/v1/put/telnet/${name}`;
  if (format === 'tsdbwire-json') return `/tsdbwire/v1/put/json/${name}`;
  return `/lineproto/v1/write?db=${name}&precision=${precision}`;
}

/** `code` is a number or a word, depending on the route. */
interface Body {
  readonly message?: string;
}

function messageOf({ body, status }: HttpAnswer): string {
  const text = body.toString();
  try {
    const parsed: Body | null = JSON.parse(text);
    return parsed?.message ?? `HTTP status ${status}`;
  } catch {
    return text === '' ? `HTTP status ${status}` : text.slice(0, 500);
  }
}

/** Rows that were stored beside bad ones: headers of the answer tell how many of each. */
function partlyWritten(answer: HttpAnswer): Delivery | undefined {
  const [written, rejected] = [numberIn(answer, 'rows-written'), numberIn(answer, 'rows-rejected')];
  if (written === undefined || rejected === undefined) return undefined;
  const row = Math.max(1, numberIn(answer, 'first-bad-row') ?? 1) - 1;
  return delivered(written, rejected, [{ row, fault: refusalOf(answer) }]);
}

function refusalOf(answer: HttpAnswer): Fault {
  const kind = answer.status === 401 ? 'auth' : answer.status >= 500 ? 'resource' : 'database';
  return fault(kind, numberIn(answer, 'error-code') ?? Codes.free, messageOf(answer));
}

function numberIn({ headers }: HttpAnswer, name: string): number | undefined {
  const text = headers[name];
  return typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : undefined;
}
