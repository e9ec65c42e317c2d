import type { CreditGate } from '../model/component.js';

/**
 * Credit in bytes for one pipeline: open while the bytes taken and not settled stay below `limitBytes` and nothing
 * holds it. A single batch larger than the limit passes when the pipeline is empty, so nothing can stall for ever.
 */
export class ByteCreditGate implements CreditGate {
  readonly #limitBytes: number;
  readonly #holds = new Set<symbol>();
  #bytes = 0;
  #waiting: (() => void)[] = [];

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Bytes taken and not settled. */
  get bytes(): number {
    return this.#bytes;
  }

  get isHeld(): boolean {
    return this.#holds.size > 0;
  }

  take(bytes: number): void {
    this.#bytes += bytes;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
    this.#wake();
  }

  hold(reason: string): () => void {
    const token = Symbol(reason);
    this.#holds.add(token);
    return () => {
      this.#holds.delete(token);
      this.#wake();
    };
  }

  async opened(): Promise<void> {
    while (!this.isOpen()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** True when there is credit and nothing holds the gate. */
  isOpen(): boolean {
    return this.#bytes < this.#limitBytes && !this.isHeld;
  }

  #wake(): void {
    if (!this.isOpen() || this.#waiting.length === 0) return;
    const woken = this.#waiting;
    this.#waiting = [];
    for (const wake of woken) wake();
  }
}
