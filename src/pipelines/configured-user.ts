import { concatMap, EMPTY, from, mergeMap, type Observable, type OperatorFunction, of } from 'rxjs';
import { detached } from '../async/detached.js';
import type { Batch, ByteBlock } from '../model/batch.js';
import type { ComponentLog } from '../model/component.js';
import type { Identity } from '../model/exchange.js';
import { Codes, type Fault, fault } from '../model/fault.js';

/** How long a verdict counts before it is checked again, which delays no write. */
const verdictMs = 10_000;
/** Between two attempts while the database cannot be reached. */
const retryMs = 500;

const undecided = fault('network', Codes.networkUnavailable, 'Unable to establish connection');

/**
 * The user of an input whose senders send no credentials: the user and
 * password of its settings. A wrong password is logged; data of senders is refused then, and they stay connected.
 * Changed users and passwords take effect within seconds.
 */
export class ConfiguredUser {
  readonly #user: string;
  readonly #authenticate: () => Promise<Identity | Fault>;
  readonly #log: ComponentLog;
  /** Undefined until the first check. */
  #verdict: { readonly refusal: Fault | undefined; readonly at: number } | undefined;
  #checking: Promise<void> | undefined;
  #stopped = false;

  /** `authenticate` checks the credentials of the settings; a fault of kind `network` is no verdict. */
  constructor(user: string, authenticate: () => Promise<Identity | Fault>, log: ComponentLog) {
    this.#user = user;
    this.#authenticate = authenticate;
    this.#log = log;
  }

  /** Checks the credentials once; never rejects. */
  verify(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** Waits for no verdict any more. */
  stop(): void {
    this.#stopped = true;
  }

  /**
   * Lets batches pass in their order while the user is let in, and rejects them while not; waits for the first verdict.
   */
  admit(): OperatorFunction<Batch<ByteBlock>, Batch<ByteBlock>> {
    return concatMap((batch): Observable<Batch<ByteBlock>> => {
      if (this.#verdict === undefined) return from(this.#decided()).pipe(mergeMap(() => this.#judge(batch)));
      if (performance.now() - this.#verdict.at > verdictMs) detached(this.verify());
      return this.#judge(batch);
    });
  }

  #judge(batch: Batch<ByteBlock>): Observable<Batch<ByteBlock>> {
    if (this.#verdict === undefined) {
      batch.settle({ outcome: 'failed', fault: undecided });
      return EMPTY;
    }
    const { refusal } = this.#verdict;
    if (refusal === undefined) return of(batch);
    batch.settle({ outcome: 'rejected', fault: refusal });
    return EMPTY;
  }

  async #decided(): Promise<void> {
    while (this.#verdict === undefined && !this.#stopped) {
      await this.verify();
      if (this.#verdict === undefined) await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
    }
  }

  async #check(): Promise<void> {
    const identity = await this.#authenticate();
    const refusal = 'kind' in identity ? identity : undefined;
    const before = this.#verdict;
    const at = performance.now();
    if (refusal !== undefined && refusal.kind !== 'auth') {
      if (before !== undefined) this.#verdict = { ...before, at };
      return;
    }
    this.#verdict = { refusal, at };
    if (refusal !== undefined && before?.refusal === undefined) {
      const text = 'The configured user and password are not accepted; what arrives is refused until they are.';
      this.#log.error({ user: this.#user, reason: refusal.message }, text);
    }
    if (refusal === undefined && before?.refusal !== undefined) {
      this.#log.info({ user: this.#user }, 'The configured user and password are accepted again.');
    }
  }
}
