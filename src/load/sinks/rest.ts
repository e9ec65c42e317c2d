import type { Batch, ByteBlock } from '../../model/batch.js';
import type { Sink } from '../../model/component.js';
import { type Delivery, delivered } from '../../model/delivery.js';
import { Codes, type Fault, fault } from '../../model/fault.js';
import { deliveryOf } from '../../sinks/outcome.js';
import type { HttpAnswer, HttpService } from './http-service.js';

/** The write routes of the service, for text of the schemaless formats. Bad rows of a request are counted, and the first is named. */
export class RestLinesSink implements Sink<ByteBlock> {
  readonly name = 'rest-lines';
  readonly #service: HttpService;

  constructor(service: HttpService) {
    this.#service = service;
  }

  write(batch: Batch<ByteBlock>, deadline: AbortSignal): Promise<Delivery> {
    return deliveryOf(this.#write(batch, deadline));
  }

  async #write({ payload, target, rows }: Batch<ByteBlock>, deadline: AbortSignal): Promise<Delivery> {
    const answer = await this.#service.post(pathOf(payload, target), payload.bytes, deadline);
    if (answer.status === 204 || answer.status === 200) return delivered(rows);
    const partly = partlyWritten(answer);
    if (partly !== undefined) return partly;
    const found = refusalOf(answer);
    return { outcome: answer.status >= 500 ? 'failed' : 'rejected', fault: found };
  }
}

function pathOf({ format }: ByteBlock, { database, precision }: Batch['target']): string {
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
    const found: Body | null = JSON.parse(text);
    return found?.message ?? `HTTP status ${status}`;
  } catch {
    return text === '' ? `HTTP status ${status}` : text.slice(0, 500);
  }
}

/** Rows that were stored beside bad ones: the answer tells how many of each. */
function partlyWritten(answer: HttpAnswer): Delivery | undefined {
  const message = messageOf(answer);
  const [, rejected, written] = /(\d+) rejected, (\d+) written/.exec(message) ?? [];
  if (rejected === undefined || written === undefined) return undefined;
  const row = Number(/^\w+ (\d+):/.exec(message)?.[1] ?? 1) - 1;
  return delivered(Number(written), Number(rejected), [{ row, fault: refusalOf(answer) }]);
}

function refusalOf(answer: HttpAnswer): Fault {
  const message = messageOf(answer);
  const code = /\[0x([0-9a-f]{1,4})\]/.exec(message)?.[1];
  const kind = answer.status === 401 ? 'auth' : answer.status >= 500 ? 'resource' : 'database';
  return fault(kind, code === undefined ? Codes.free : Number.parseInt(code, 16), message);
}
