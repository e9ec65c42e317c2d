import type { Credentials } from '../../model/exchange.js';
import type { Call, HttpRequest, Reply, WriteCall } from './call.js';
import type { HeadAdmission, RequestHead } from './request-head.js';

/** The part of a request in flight that its call uses. */
interface CallInFlight extends Pick<Call, 'aborted'> {
  /** Set where it is answered although its client has closed its half of the connection. */
  outlivesEnd: boolean;
}

/** Of a call that has not passed the checks of its route yet. */
const unchecked: HeadAdmission = { id: undefined, credentials: { scheme: 'token', token: '' }, layers: 0 };

/** A request in flight, for the handler of its route. */
export class HttpCall<R extends Reply = Reply> implements WriteCall {
  readonly request: HttpRequest;
  readonly reply: R;
  readonly head: RequestHead;
  readonly params: Call['params'];
  readonly #inFlight: CallInFlight;
  #admission = unchecked;

  constructor(reply: R, head: RequestHead, params: Call['params'], inFlight: CallInFlight) {
    this.request = reply.request;
    this.reply = reply;
    this.head = head;
    this.params = params;
    this.#inFlight = inFlight;
  }

  get id(): string {
    return this.#admission.id ?? this.request.id;
  }

  get credentials(): Credentials {
    return this.#admission.credentials;
  }

  get layers(): number {
    return this.#admission.layers;
  }

  get query(): URLSearchParams {
    return this.head.query;
  }

  get foreignPage(): string | undefined {
    return this.head.foreignPage;
  }

  get aborted(): AbortSignal {
    return this.#inFlight.aborted;
  }

  outliveEnd(): void {
    this.#inFlight.outlivesEnd = true;
  }

  admitted(admission: HeadAdmission): WriteCall {
    this.#admission = admission;
    return this;
  }
}
