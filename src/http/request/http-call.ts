import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Credentials } from '../../model/exchange.js';
import type { AdmittedCall, Call } from './call.js';
import type { RepeatedRequest } from './repeated.js';

/** What a call takes from the request in flight that it is. */
interface RequestInFlight extends Pick<Call, 'aborted' | 'foreignPage' | 'resumed'> {
  /** Set where it is answered though its client has closed its half of the connection. */
  outlivesEnd: boolean;
}

/** Of a call that has not passed the checks of its route yet. */
const nobody: Credentials = { scheme: 'token', token: '' };

/** A request that the server has taken in, for the handler of its route. */
export class HttpCall implements AdmittedCall {
  id = '';
  credentials: Credentials = nobody;
  layers = 0;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly params: Call['params'];
  readonly query: URLSearchParams;
  readonly #open: RequestInFlight;

  constructor(request: FastifyRequest, reply: FastifyReply, params: Call['params'], open: RequestInFlight) {
    this.request = request;
    this.reply = reply;
    this.params = params;
    const question = request.url.indexOf('?');
    this.query = new URLSearchParams(question === -1 ? '' : request.url.slice(question + 1));
    this.#open = open;
  }

  get aborted(): AbortSignal {
    return this.#open.aborted;
  }

  get foreignPage(): string | undefined {
    return this.#open.foreignPage;
  }

  get resumed(): RepeatedRequest | undefined {
    return this.#open.resumed;
  }

  outliveEnd(): void {
    this.#open.outlivesEnd = true;
  }

  admitted(id: string, credentials: Credentials, layers: number): AdmittedCall {
    this.id = this.resumed?.id ?? id;
    this.credentials = credentials;
    this.layers = layers;
    return this;
  }
}
