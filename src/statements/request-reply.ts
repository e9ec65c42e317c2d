import { detached } from '../async/detached.js';
import { OpenWork } from '../async/open-work.js';
import type { Component, ComponentLog } from '../model/component.js';
import type { Credentials, Exchange } from '../model/exchange.js';
import { Codes, FaultError, fault, faultOf } from '../model/fault.js';
import { type SlotLimits, type SlotMetrics, StatementSlots } from './statement-slots.js';
import type { CredentialCheck } from './users/credentials.js';

/** For a client that has disconnected, which does not read it. */
const gone = fault('network', Codes.free, 'The client went away');
const closed = fault('resource', Codes.free, 'service is shutting down');

/** Context of every request-reply pipeline. */
export interface RequestReplyContext {
  readonly credentials: Pick<CredentialCheck, 'authenticate'>;
  readonly log: ComponentLog;
  /** How many requests run at once, and how many wait; or slots that several pipelines share. */
  readonly slots: SlotLimits | StatementSlots;
}

/** Runs a request of a user that has waited for `waitedMs`. */
type Run<Q extends { readonly credentials: Credentials }, A> = (
  exchange: Exchange<Q, A>,
  user: string,
  waitedMs: number,
) => Promise<A>;

/** Returns an answer and releases its slot: at once, or when the answer is sent. */
export type Hold<A> = (answer: A, release: () => void) => A;

function atOnce<A>(answer: A, release: () => void): A {
  release();
  return answer;
}

/**
 * Request-reply: authenticates the client, runs its request, and answers or refuses. A refusal carries what the request
 * throws. Draining waits for the running and the waiting requests.
 */
export class RequestReply<Q extends { readonly credentials: Credentials }, A> implements Component {
  readonly name: string;
  readonly #context: RequestReplyContext;
  readonly #run: Run<Q, A>;
  readonly #hold: Hold<A>;
  readonly #slots: StatementSlots;
  readonly #open = new OpenWork();
  #isDraining = false;

  /**
   * `hold` is for answers that use the slot after they are returned; without it the slot is released with the answer.
   */
  constructor(name: string, context: RequestReplyContext, run: Run<Q, A>, hold: Hold<A> = atOnce) {
    this.name = name;
    this.#context = context;
    const { slots } = context;
    this.#slots = slots instanceof StatementSlots ? slots : new StatementSlots(slots);
    this.#run = run;
    this.#hold = hold;
  }

  /** How many requests run, and how many wait for a slot. */
  get slotMetrics(): SlotMetrics {
    return this.#slots.metrics;
  }

  /** Accepts a request, which is answered or refused, also while the pipeline drains. */
  request(exchange: Exchange<Q, A>): void {
    if (this.#isDraining) {
      exchange.refuse(closed);
      return;
    }
    this.#open.begin();
    detached(this.#answer(exchange), (error) => exchange.refuse(faultOf(error)));
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#open.none();
  }

  /** Runs a request of the service itself, as a user whose password is not checked. */
  runAs(user: string, id: string, request: Q, aborted: AbortSignal): Promise<A> {
    return this.#runInSlot({ id, request, aborted, answer: () => {}, refuse: () => {} }, user);
  }

  async #runInSlot(exchange: Exchange<Q, A>, user: string): Promise<A> {
    const startMs = performance.now();
    const release = await this.#slots.take(user, exchange.aborted);
    try {
      return this.#hold(await this.#run(exchange, user, performance.now() - startMs), release);
    } catch (error) {
      release();
      throw error;
    }
  }

  async #answer(exchange: Exchange<Q, A>): Promise<void> {
    const { credentials, log } = this.#context;
    try {
      const identity = await credentials.authenticate(exchange.request.credentials);
      if ('kind' in identity) exchange.refuse(identity);
      else exchange.answer(await this.#runInSlot(exchange, identity.user));
    } catch (error) {
      if (exchange.aborted.aborted) return exchange.refuse(gone);
      if (!(error instanceof FaultError)) log.error({ error, id: exchange.id }, 'A request broke.');
      exchange.refuse(faultOf(error));
    } finally {
      this.#open.end();
    }
  }
}
