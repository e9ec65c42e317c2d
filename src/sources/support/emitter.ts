import { Subject } from 'rxjs';
import { OpenWork } from '../../async/open-work.js';
import { type Batch, type ByteBlock, type Reading, type Target, targetAt, type WireFormat } from '../../model/batch.js';

/** Facts that all batches of one source share. */
interface EmitterOptions {
  readonly origin: string;
  readonly format: WireFormat;
  readonly target: Target;
}

/** Turns blocks into batches, and knows when none is open. */
export class Emitter {
  readonly batches$ = new Subject<Batch<ByteBlock>>();
  readonly #options: EmitterOptions;
  readonly #open = new OpenWork();
  #closed = false;
  /** Those who wait for fewer open batches. */
  #less: (() => void)[] = [];

  constructor(options: EmitterOptions) {
    this.#options = options;
  }

  /**
   * Emits a block of `rows` lines or datagrams; one that comes after the end is dropped. Rows without a time have that
   * of `reading`; left out, that of their arrival.
   */
  emit(bytes: Uint8Array, rows: number, reading?: Reading): void {
    if (this.#closed || bytes.length === 0) return;
    const { origin, format } = this.#options;
    const target = reading === undefined ? this.#options.target : targetAt(this.#options.target, reading);
    this.#open.begin();
    const settle = (): void => {
      this.#open.end();
      for (const wake of this.#less.splice(0)) wake();
    };
    const payload = { kind: 'bytes', format, bytes } as const;
    this.batches$.next({ origin, target, payload, rows, bytes: bytes.length, settle });
  }

  /** Resolves when every batch is settled. */
  settled(): Promise<void> {
    return this.#open.none();
  }

  /** Resolves when fewer than `count` batches are open. */
  async below(count: number): Promise<void> {
    while (this.#open.count >= count) await new Promise<void>((resolve) => this.#less.push(resolve));
  }

  /** Ends the batches. */
  close(): void {
    this.#closed = true;
    this.batches$.complete();
  }
}
