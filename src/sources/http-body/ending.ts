import { type Delivery, delivered, isHopeless, type RowReject, worstOf } from '../../model/delivery.js';

/** The ending of a request that became several batches. */
export class Ending {
  /** Lines handed out so far. */
  lines = 0;
  /** The rest of the body is not read. */
  isCut = false;
  #open = 0;
  #worst: Delivery = delivered(0);
  readonly #waiters: ((delivery: Delivery) => void)[] = [];

  /** True when so many rows are bad that the rest is not worth reading. */
  get isHopeless(): boolean {
    const worst = this.#worst;
    return worst.outcome === 'delivered' && isHopeless(worst.rows, worst.rejectedRows);
  }

  /** A row of the body is bad. */
  reject(row: RowReject): void {
    this.#worst = worstOf(this.#worst, delivered(0, 1, [row]));
  }

  /** A batch begins at a line of the body; gives what is called when it has ended. */
  begin(firstLine: number): (delivery: Delivery) => void {
    this.#open++;
    return (delivery) => {
      this.#worst = worstOf(this.#worst, firstLine === 0 ? delivery : numberedFrom(firstLine, delivery));
      this.#open--;
      if (this.#open === 0) for (const tell of this.#waiters.splice(0)) tell(this.#total());
    };
  }

  /** Calls back once all that was begun has ended. */
  whenSettled(tell: (delivery: Delivery) => void): void {
    if (this.#open === 0) tell(this.#total());
    else this.#waiters.push(tell);
  }

  /** Resolves once all that was begun has ended. */
  settled(): Promise<Delivery> {
    return new Promise((resolve) => this.whenSettled(resolve));
  }

  #total(): Delivery {
    const worst = this.#worst;
    return this.isCut && worst.outcome === 'delivered' ? { ...worst, isCut: true } : worst;
  }
}

function numberedFrom(firstLine: number, delivery: Delivery): Delivery {
  if (delivery.outcome !== 'delivered' || delivery.rejects.length === 0) return delivery;
  return { ...delivery, rejects: delivery.rejects.map((reject) => ({ ...reject, row: reject.row + firstLine })) };
}
