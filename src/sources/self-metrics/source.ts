import { Subject } from 'rxjs';
import type { Batch, ByteBlock, Target } from '../../model/batch.js';
import type { ComponentLog, ReadGate, Source } from '../../model/component.js';

/** Options of the source: what it writes, how often, and where to. */
interface SelfMetricsOptions {
  /** `monitor.writeInterval`. */
  readonly intervalMs: number;
  readonly target: Target;
  /** Line protocol of what has changed since the last call; empty when nothing has. */
  readonly take: () => Promise<Uint8Array>;
  /** Called with what a write took when it was not stored, so that the next one holds it again. */
  readonly giveBack: () => void;
}

/** The service's own metrics as rows (`monitor.writeToDB`): one small batch at every interval, skipped while held. */
export class SelfMetricsSource implements Source<ByteBlock> {
  readonly name = 'own-figures';
  readonly batches$ = new Subject<Batch<ByteBlock>>();
  readonly #options: SelfMetricsOptions;
  readonly #gate: ReadGate;
  readonly #log: ComponentLog;
  #timer: NodeJS.Timeout | undefined;
  #open: Promise<void> | undefined;
  #ended = false;

  constructor(options: SelfMetricsOptions, gate: ReadGate, log: ComponentLog) {
    this.#options = options;
    this.#gate = gate;
    this.#log = log;
  }

  async start(): Promise<void> {
    this.#timer = setInterval(() => this.#tick(), this.#options.intervalMs);
  }

  async drain(): Promise<void> {
    clearInterval(this.#timer);
    this.#ended = true;
    await this.#open;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#ended = true;
    this.batches$.complete();
  }

  /**
   * One write at a time: an interval that comes while the last one is open is left out, its metrics come with the next.
   */
  #tick(): void {
    this.#open ??= this.#write().finally(() => {
      this.#open = undefined;
    });
  }

  async #write(): Promise<void> {
    await this.#gate.opened();
    if (this.#ended) return;
    const bytes = await this.#options.take();
    if (bytes.length === 0) return;
    await new Promise<void>((resolve) => {
      const payload = { kind: 'bytes', format: 'lineproto', bytes } as const;
      this.batches$.next({
        origin: this.name,
        target: this.#options.target,
        payload,
        rows: 0,
        bytes: bytes.length,
        settle: (delivery) => {
          if (delivery.outcome !== 'delivered') {
            this.#options.giveBack();
            this.#log.warn({ outcome: delivery.outcome }, "The service's own metrics could not be written.");
          }
          resolve();
        },
      });
    });
  }
}
