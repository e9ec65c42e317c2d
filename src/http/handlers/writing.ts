import type { Readable } from 'node:stream';
import type { WireFormat } from '../../model/batch.js';
import type { Delivery } from '../../model/delivery.js';
import type { Credentials, Exchange, Outcome, WriteRequest } from '../../model/exchange.js';
import type { Fault } from '../../model/fault.js';
import { withoutMetadata } from '../../model/write-tally.js';
import { refusalOf as refusalOfFault } from '../answer/refusal.js';
import { sendEmpty, sendGuardRefusal, sendInternalError } from '../answer/reply.js';
import { refusalOfOutcome } from '../answer/write-refusal.js';
import type { HandlerContext, Refusal, Reply, WriteCall } from '../request/call.js';
import { readAck } from '../request/parameters.js';
import { RequestBody } from '../request/request-body.js';

/** Format and target of the body of a write. */
interface Write {
  readonly format: WireFormat;
  readonly target: WriteRequest['target'];
  /** See {@link WriteRequest}. */
  readonly maxMessageBytes?: number;
  /** The format's word for a row. */
  readonly rowWord: string;
  /** Bytes before the body, for the parser. */
  readonly head?: Buffer;
}

/** How a route answers a write. */
interface WriteAnswers {
  /** All of it is stored; left out, that is 204. */
  readonly stored?: (rows: number) => Reply;
  /** It is not, or not all of it. */
  readonly refused: (refusal: Refusal) => Reply;
}

/**
 * Carries the body of a write into the pipeline and answers: 204 when all of it is stored, otherwise what `refused`
 * makes of the reason. Bad rows are 400, an unknown database is 404; what may pass (network, memory, a full queue) is
 * 503 with `Retry-After`.
 */
export function carryWrite(
  call: WriteCall,
  context: HandlerContext,
  write: Write,
  answers: WriteAnswers,
): Reply | undefined {
  const ack = readAck(call.query.get('ack'));
  if (typeof ack === 'object') return answers.refused(refusalOfFault(ack));
  const target = ack === undefined ? write.target : { ...write.target, ack };
  call.outliveEnd();
  context.intake.write(new WriteExchange(call, context, write, target, answers));
  return undefined;
}

/** A write request on its way through the pipeline, which is answered once. */
class WriteExchange implements Exchange<WriteRequest, Delivery>, WriteRequest {
  readonly format: WireFormat;
  readonly target: WriteRequest['target'];
  readonly maxMessageBytes: number | undefined;
  readonly length: number | undefined;
  readonly #call: WriteCall;
  readonly #context: HandlerContext;
  readonly #write: Write;
  readonly #answers: WriteAnswers;
  readonly #body: RequestBody;
  #isOver = false;

  constructor(call: WriteCall, context: HandlerContext, write: Write, target: Write['target'], answers: WriteAnswers) {
    const { format, maxMessageBytes, head } = write;
    this.format = format;
    this.target = target;
    this.maxMessageBytes = maxMessageBytes;
    this.length = call.layers === 0 ? contentLength(call, head?.length) : undefined;
    this.#call = call;
    this.#context = context;
    this.#write = write;
    this.#answers = answers;
    this.#body = new RequestBody(call.request.raw, call.layers, context.settings.inflatedBytes, (failure) =>
      this.#end({ kind: 'unreadable', fault: failure }),
    );
    if (head !== undefined) this.#body.stream.unshift(head);
  }

  get id(): string {
    return this.#call.id;
  }

  get request(): WriteRequest {
    return this;
  }

  get credentials(): Credentials {
    return this.#call.credentials;
  }

  get aborted(): AbortSignal {
    return this.#call.aborted;
  }

  get body(): Readable {
    return this.#body.stream;
  }

  get plain(): Readable | undefined {
    return this.#body.plain;
  }

  whole(bytes: number): Buffer | undefined {
    return this.#body.whole(bytes);
  }

  answer(delivery: Delivery): void {
    this.#end({ kind: 'answered', answer: withoutMetadata(delivery, this.target.tally) });
  }

  refuse(failure: Fault): void {
    this.#end({ kind: 'refused', fault: failure });
  }

  #end(ending: Outcome<Delivery> | { readonly kind: 'unreadable'; readonly fault: Fault }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#body.release();
    try {
      // A pipeline that stumbles over a broken body reports it in its own words; the client gets the error of the body.
      const failure = ending.kind === 'unreadable' ? ending.fault : this.#body.failure();
      if (failure !== undefined) this.#answers.refused(refusalOfFault(failure, 'body'));
      else if (ending.kind !== 'unreadable') {
        sendOutcome(this.#call, this.#context, ending, this.#write.rowWord, this.#answers);
      }
    } catch (error) {
      this.#context.log.error({ requestId: this.id, err: error }, 'A write could not be answered.');
      sendInternalError(this.#call.reply);
    }
  }
}

function contentLength(call: WriteCall, before = 0): number | undefined {
  const text = call.request.headers['content-length'];
  return text === undefined ? undefined : before + Number(text);
}

function sendOutcome(
  call: WriteCall,
  context: HandlerContext,
  outcome: Outcome<Delivery>,
  rowWord: string,
  { stored = () => sendEmpty(call.reply, 204), refused }: WriteAnswers,
): Reply {
  const answer = outcome.kind === 'answered' ? outcome.answer : undefined;
  if (answer?.outcome === 'shed' && answer.reason === 'memory') return sendGuardRefusal(call, context, 'all-paused');
  const refusal = refusalOfOutcome(outcome, rowWord);
  if (refusal !== undefined) return refused(refusal);
  return stored(answer?.outcome === 'delivered' ? answer.rows : 0);
}
